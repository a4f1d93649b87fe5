import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { AgentBuffer } from './agent-buffer.ts'
import { type AgentHeader, devicesDocument, errorDocument, streamsDocument } from './agent-documents.ts'
import { type AgentFaults, noFaults } from './agent-faults.ts'
import type { AgentDevice, AgentObservation, NumberedObservation } from './agent-model.ts'
import { AgentRequestError, deviceFilter, parseSampleRequest } from './agent-requests.ts'
import { writeStream } from './agent-stream.ts'

export interface MtconnectAgentOptions {
  readonly devices: readonly AgentDevice[]
  /** Number of observations that the agent keeps; 131,072 by default. */
  readonly bufferSize?: number
  readonly instanceId?: string
  /** UTC ms. */
  readonly now?: () => number
  /** Whether `sample` with an interval is answered by a stream; otherwise by one document. */
  readonly canStream?: boolean
  /** Form of errors: HTTP status, and whether the element has the name of the error, as since MTConnect 2.6. */
  readonly errors?: { readonly status: 200 | 400; readonly isNamed: boolean }
  readonly multipart?: 'mixed' | 'x-mixed-replace'
  /** Value of the header `Authorization` that requests need. */
  readonly authorization?: string
  /** Serves HTTPS. */
  readonly tls?: ServerOptions
  readonly port?: number
}

/**
 * An MTConnect agent: serves `probe`, `current` and `sample` of devices whose observations the caller adds. It has faults
 * on command.
 */
export class MtconnectAgent {
  readonly faults: AgentFaults = noFaults()
  /** Paths and queries of all requests. */
  readonly requests: string[] = []
  readonly #options: MtconnectAgentOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #devices: readonly AgentDevice[]
  #buffer: AgentBuffer

  private constructor(options: MtconnectAgentOptions) {
    this.#options = options
    this.#devices = options.devices
    this.#buffer = this.#newBuffer(options.instanceId ?? '1')
    const listener: RequestListener = (request, response) => crashOnRejection(this.#respond(request, response))
    this.#server = options.tls === undefined ? createServer(listener) : createSecureServer(options.tls, listener)
    this.#server.on('connection', (socket: Socket) => {
      if (this.faults.isRefusing) return void socket.destroy()
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Starts an agent on 127.0.0.1. */
  static async start(options: MtconnectAgentOptions): Promise<MtconnectAgent> {
    const agent = new MtconnectAgent(options)
    agent.#server.listen(options.port ?? 0, '127.0.0.1')
    await once(agent.#server, 'listening')
    return agent
  }

  get url(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has a port
    const { port } = this.#server.address() as AddressInfo
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  }

  get instanceId(): string {
    return this.#buffer.instanceId
  }

  /** Lowest sequence in the buffer. */
  get first(): number {
    return this.#buffer.first
  }

  /** Sequence of the next observation. */
  get next(): number {
    return this.#buffer.next
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#sockets.size
  }

  /** Adds observations, as an adapter that sends them; returns them with their sequences. */
  add(...observations: readonly AgentObservation[]): readonly NumberedObservation[] {
    return observations.map(observation => this.#buffer.add(observation))
  }

  /** The observations of the buffer. */
  buffered(): readonly NumberedObservation[] {
    return this.#buffer.from(this.#buffer.first, this.#buffer.size)
  }

  /** The last observation of each item; of a condition those of its active codes. */
  present(): readonly NumberedObservation[] {
    return this.#buffer.present()
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Starts a new run, in which all items are UNAVAILABLE first. `keepsConnections`: streams continue with the new run. */
  restart(instanceId: string, { keepsConnections = false } = {}): void {
    this.#buffer = this.#newBuffer(instanceId)
    if (!keepsConnections) this.cut()
  }

  /** Replaces the devices; new items become UNAVAILABLE. */
  changeDevices(devices: readonly AgentDevice[]): void {
    this.#devices = devices
    this.#buffer.addDevices(devices, this.#timestamp())
  }

  async close(): Promise<void> {
    this.faults.isRefusing = true
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #newBuffer(instanceId: string): AgentBuffer {
    const buffer = new AgentBuffer(instanceId, this.#options.bufferSize ?? 131_072)
    buffer.addDevices(this.#devices, this.#timestamp())
    return buffer
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://agent')
    this.requests.push(`${url.pathname}${url.search}`)
    const { authorization } = this.#options
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return void response.writeHead(401).end('Unauthorized')
    if (this.faults.isHanging) return
    try {
      await this.#respondTo(url, request, response)
    } catch (error) {
      if (!(error instanceof AgentRequestError)) throw error
      await send(request, response, this.#options.errors?.status ?? 400, this.#error(error.code, error.message))
    }
  }

  async #respondTo(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isSelected = deviceFilter(url.searchParams.get('path'))
    const devices = this.#devices.filter(isSelected)
    switch (url.pathname.slice(url.pathname.lastIndexOf('/') + 1)) {
      case 'probe':
        return send(request, response, 200, devicesDocument(this.#header(this.#buffer.next), devices))
      case 'current':
        return send(request, response, 200, this.#streams(devices, this.#buffer.present(), this.#buffer.next))
      case 'sample':
        return this.#sample(url, isSelected, request, response)
      default:
        throw new AgentRequestError('UNSUPPORTED', 'The request must be probe, current or sample')
    }
  }

  async #sample(
    url: URL,
    isSelected: ReturnType<typeof deviceFilter>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const sample = parseSampleRequest(url.searchParams, this.#buffer)
    const read = (from: number) => this.#read(from, sample.count, isSelected)
    const { intervalMs, heartbeatMs } = sample
    if (intervalMs === null || this.#options.canStream === false)
      return send(request, response, 200, read(sample.from).text)
    await writeStream({
      response,
      gzip: acceptsGzip(request) ? createGzip() : null,
      multipart: this.#options.multipart ?? 'mixed',
      from: sample.from,
      intervalMs,
      heartbeatMs,
      read,
      buffer: () => this.#buffer,
      outOfRange: from => this.#error('OUT_OF_RANGE', `'from' must be greater than ${from}`),
      faults: this.faults,
    })
  }

  /** Returns the document of observations from a sequence on, and the sequence after it. */
  #read(from: number, count: number, isSelected: ReturnType<typeof deviceFilter>) {
    const observations = this.#buffer.from(from, count)
    const next = (observations.at(-1)?.sequence ?? from - 1) + 1
    const isMalformed = observations.some(({ sequence }) => this.faults.malformedSequences.has(sequence))
    const text = this.#streams(this.#devices.filter(isSelected), observations, next)
    return { text: isMalformed ? text.replace('</Streams>', '</Stream>') : text, next, count: observations.length }
  }

  #streams(devices: readonly AgentDevice[], observations: readonly NumberedObservation[], next: number): string {
    return streamsDocument(this.#header(next), devices, observations)
  }

  #error(code: AgentRequestError['code'], message: string): string {
    return errorDocument(this.#header(this.#buffer.next), code, message, this.#options.errors?.isNamed === true)
  }

  #header(nextSequence: number): AgentHeader {
    const { instanceId, size: bufferSize, first: firstSequence, next } = this.#buffer
    return {
      instanceId,
      creationTime: this.#timestamp(),
      bufferSize,
      firstSequence,
      lastSequence: next - 1,
      nextSequence,
    }
  }

  #timestamp(): string {
    return new Date((this.#options.now ?? Date.now)() + this.faults.clockOffsetMs).toISOString()
  }
}

const zip = promisify(gzip)

async function send(request: IncomingMessage, response: ServerResponse, status: number, text: string): Promise<void> {
  const isZipped = acceptsGzip(request)
  const body = isZipped ? await zip(text) : Buffer.from(text)
  const encoding = isZipped ? { 'Content-Encoding': 'gzip' } : {}
  response.writeHead(status, { 'Content-Type': 'text/xml', 'Content-Length': body.length, ...encoding }).end(body)
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '')
}
