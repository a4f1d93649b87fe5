import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BaseServer as Engine } from 'engine.io'
import { maxMessageBytes } from '../limits/message-limits.ts'
import { jsonProblems } from '../../../shared/json/utf8.ts'

/** The parts of Engine.IO's polling transports that are used here. */
interface PollingTransport<Request, Response> {
  readonly name: string
  /** Prefix of a JSONP response; absent: it is not JSONP. */
  readonly head?: string
  onDataRequest(request: Request, response: Response): void
  onData(payload: string | Buffer): void
  /** Makes a close immediate; otherwise it waits up to 30 s for the next poll. */
  discard(): void
  onError(reason: string): void
}

interface TransportFactory<Request, Response> {
  createTransport(name: string, request: unknown): PollingTransport<Request, Response>
}

/** Body of a request of a polling client. */
interface PollingBody {
  readonly isBinary: boolean
  bytes(): Buffer
  /** Responds 400. Engine.IO responds 200 to each body that it has passed on: that is ignored. */
  reject(): void
}

type CollectBody<Request, Response> = (request: Request, response: Response) => PollingBody

const badRequest = JSON.stringify({ code: 'BadRequest', message: jsonProblems[1], errors: [] })

/**
 * Makes Engine.IO reject texts of polling clients that are not UTF-8: it would replace the bytes. Binary payloads (version 3 of the protocol)
 * are passed to its decoder as bytes, which over uWebSockets it would convert to text.
 */
export function checkPollingBodies<Request, Response>(engine: Engine, collect: CollectBody<Request, Response>): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a method that the types of Engine.IO declare as protected
  const factory = engine as unknown as TransportFactory<Request, Response>
  const create = factory.createTransport.bind(engine)
  factory.createTransport = (name, request) => {
    const transport = create(name, request)
    if (transport.name === 'polling') checkBodies(transport, collect)
    return transport
  }
}

function checkBodies<Request, Response>(
  transport: PollingTransport<Request, Response>,
  collect: CollectBody<Request, Response>,
): void {
  const readRequest = transport.onDataRequest.bind(transport)
  const decode = transport.onData.bind(transport)
  let body: PollingBody | null = null
  transport.onDataRequest = (request, response) => {
    body = collect(request, response)
    readRequest(request, response)
  }
  transport.onData = payload => {
    if (body === null) return decode(payload)
    const bytes = body.bytes()
    if (body.isBinary) return decode(bytes)
    const text = bytes.toString()
    if (isUtf8(bytes) && (transport.head === undefined || isUriEncoded(text))) return decode(text)
    body.reject()
    // Closing the session would break off the request, which ends after this call.
    queueMicrotask(() => {
      transport.discard()
      transport.onError(jsonProblems[1])
    })
  }
}

/** Whether the percent-encoded bytes of a form are UTF-8. */
function isUriEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const binaryType = 'application/octet-stream'

/** Collects a body that comes by Node's HTTP server. */
export function collectBody(request: IncomingMessage, response: ServerResponse): PollingBody {
  const chunks: Buffer[] = []
  let length = 0
  // Engine.IO measures the chunks and responds 413 to a larger body.
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxMessageBytes) chunks.push(chunk)
  })
  request.setEncoding = () => request
  return {
    isBinary: request.headers['content-type'] === binaryType,
    bytes: () => Buffer.concat(chunks),
    reject() {
      response.writeHead(400, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      response.end(badRequest)
      response.writeHead = () => response
      response.end = () => response
    },
  }
}

interface UwsDataRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
}

interface UwsDataResponse {
  onData(handler: (bytes: ArrayBuffer, isLast: boolean) => void): void
  writeStatus(status: string): unknown
  end(text: string): unknown
}

/** Collects a body that comes by uWebSockets, after Engine.IO has checked its declared length. */
export function collectUwsBody({ headers }: UwsDataRequest, response: UwsDataResponse): PollingBody {
  const chunks: Buffer[] = []
  const listen = response.onData.bind(response)
  response.onData = handler =>
    listen((bytes, isLast) => {
      // The memory is valid only during the call.
      chunks.push(Buffer.from(bytes.slice(0)))
      handler(bytes, isLast)
    })
  return {
    isBinary: headers['content-type'] === binaryType,
    bytes: () => Buffer.concat(chunks),
    reject() {
      response.writeStatus('400 Bad Request')
      const end = response.end.bind(response)
      response.end = () => end(badRequest)
    },
  }
}
