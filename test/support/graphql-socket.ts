import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** A message of either protocol. */
export interface SocketMessage {
  readonly type: string
  readonly id?: string
  readonly payload?: {
    readonly data?: Readonly<Record<string, unknown>> | null
    readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
  }
}

export interface SocketOptions {
  readonly protocol?: 'graphql-transport-ws' | 'graphql-ws'
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A WebSocket that sends the messages of a GraphQL protocol, and stores the received ones. */
export class GraphqlSocket {
  readonly webSocket: WebSocket
  readonly messages: SocketMessage[] = []
  #closed: { readonly code: number; readonly reason: string } | null = null

  constructor(url: string, { protocol = 'graphql-transport-ws', path = '/graphql', headers = {} }: SocketOptions = {}) {
    this.webSocket = new WebSocket(url.replace('http', 'ws') + path, protocol, { headers: { ...headers } })
    this.webSocket.on('message', (data: Buffer) => {
      const message: SocketMessage = JSON.parse(data.toString())
      this.messages.push(message)
    })
    this.webSocket.on('error', () => undefined)
    this.webSocket.on('close', (code, reason) => (this.#closed = { code, reason: reason.toString() }))
  }

  /** Opens and authenticates a socket; resolves after the acknowledgement. */
  static async join(url: string, key: string, options: SocketOptions = {}): Promise<GraphqlSocket> {
    const socket = new GraphqlSocket(url, options)
    await once(socket.webSocket, 'open')
    socket.send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${key}` } } })
    await socket.until(() => socket.messages.some(({ type }) => type === 'connection_ack'))
    return socket
  }

  get closed(): { readonly code: number; readonly reason: string } | null {
    return this.#closed
  }

  /** Sends a value as JSON; a string or bytes unchanged. */
  send(message: unknown): void {
    const isRaw = typeof message === 'string' || Buffer.isBuffer(message)
    this.webSocket.send(isRaw ? message : JSON.stringify(message))
  }

  /** Starts an operation by the message of the protocol. */
  start(id: string, query: string, variables?: object): void {
    const type = this.webSocket.protocol === 'graphql-ws' ? 'start' : 'subscribe'
    this.send({ type, id, payload: { query, ...(variables && { variables }) } })
  }

  /** Data of all results of an operation. */
  results(id: string): readonly unknown[] {
    return this.messages.flatMap(message =>
      message.id === id && (message.type === 'next' || message.type === 'data') ? [message.payload?.data] : [],
    )
  }

  /** Errors that ended an operation, in the form of either protocol. */
  codes(id: string): readonly (string | undefined)[] {
    return this.messages
      .filter(message => message.id === id && message.type === 'error')
      .flatMap(({ payload }) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one protocol sends a list, the other an object with it
        const errors = Array.isArray(payload) ? (payload as NonNullable<typeof payload>['errors']) : payload?.errors
        return (errors ?? []).map(({ extensions }) => extensions.code)
      })
  }

  async until(isSo: () => boolean, withinMs = 60_000): Promise<void> {
    const untilMs = Date.now() + withinMs
    while (!isSo()) {
      if (Date.now() > untilMs)
        throw new Error(`It did not come: ${JSON.stringify([this.#closed, this.messages.slice(-5)])}`)
      await sleep(5)
    }
  }

  async whenClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.until(() => this.#closed !== null)
    return this.#closed ?? { code: 0, reason: '' }
  }

  close(): void {
    this.webSocket.terminate()
  }
}
