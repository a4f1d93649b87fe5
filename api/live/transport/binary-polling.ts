import type { BaseServer as Engine } from 'engine.io'

/** The parts of Engine.IO's polling transport over uWebSockets that are used here. */
interface PollingTransport {
  readonly name: string
  onDataRequest(request: DataRequest, response: DataResponse): void
  onData(payload: string | Buffer): void
}

interface DataRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
}

interface DataResponse {
  onData(handler: (bytes: ArrayBuffer, isLast: boolean) => void): void
}

interface TransportFactory {
  createTransport(name: string, request: unknown): PollingTransport
}

/**
 * Makes Engine.IO over uWebSockets pass binary payloads of polling clients (version 3 of the protocol) to its decoder as bytes: it converts
 * them to text, which its decoder rejects.
 */
export function acceptBinaryPolling(engine: Engine): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a method that the types of Engine.IO declare as protected
  const factory = engine as unknown as TransportFactory
  const create = factory.createTransport.bind(engine)
  factory.createTransport = (name, request) => {
    const transport = create(name, request)
    if (transport.name === 'polling') decodeBytes(transport)
    return transport
  }
}

function decodeBytes(transport: PollingTransport): void {
  const readRequest = transport.onDataRequest.bind(transport)
  const decode = transport.onData.bind(transport)
  let chunks: Buffer[] | null = null
  transport.onDataRequest = (request, response) => {
    chunks = request.headers['content-type'] === 'application/octet-stream' ? copyChunks(response) : null
    readRequest(request, response)
  }
  transport.onData = text => decode(chunks === null ? text : Buffer.concat(chunks))
}

/** Collects the chunks of a body; their memory is valid only during the call. */
function copyChunks(response: DataResponse): Buffer[] {
  const chunks: Buffer[] = []
  const listen = response.onData.bind(response)
  response.onData = handler =>
    listen((bytes, isLast) => {
      chunks.push(Buffer.from(bytes.slice(0)))
      handler(bytes, isLast)
    })
  return chunks
}
