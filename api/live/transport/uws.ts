/** The parts of uWebSockets.js that are used here; its types exist only if it is installed from its own repository. */
export interface Uws {
  App(): UwsApp
  readonly DISABLED: number
  us_listen_socket_close(socket: ListenSocket): void
  us_socket_local_port(socket: ListenSocket): number
}

/** Opaque handle. */
export interface ListenSocket {
  readonly listenSocket?: never
}

export interface UwsApp {
  ws<Data>(pattern: string, behavior: UwsBehavior<Data>): UwsApp
  any(pattern: string, handler: (response: UwsResponse) => void): UwsApp
  listen(host: string, port: number, done: (socket: ListenSocket | false) => void): UwsApp
  close(): UwsApp
}

export interface UwsBehavior<Data> {
  readonly compression: number
  readonly maxPayloadLength: number
  /** Seconds; pings prevent that a connected client becomes idle. */
  readonly idleTimeout: number
  readonly maxBackpressure: number
  readonly closeOnBackpressureLimit: boolean
  upgrade(response: UwsResponse, request: UwsRequest, context: object): void
  open(socket: UwsSocket<Data>): void
  message(socket: UwsSocket<Data>, message: ArrayBuffer, isBinary: boolean): void
  ping(socket: UwsSocket<Data>, message: ArrayBuffer): void
  pong(socket: UwsSocket<Data>, message: ArrayBuffer): void
  drain(socket: UwsSocket<Data>): void
  close(socket: UwsSocket<Data>): void
}

export interface UwsRequest {
  getHeader(name: string): string
  getUrl(): string
}

export interface UwsResponse {
  writeStatus(status: string): UwsResponse
  end(body?: string): UwsResponse
  getRemoteAddressAsText(): ArrayBuffer
  upgrade(data: object, key: string, protocol: string, extensions: string, context: object): void
}

export interface UwsSocket<Data> {
  getUserData(): Data
  /** 1: sent; 0: buffered; 2: dropped. */
  send(message: Uint8Array | string, isBinary: boolean, compress: boolean): number
  end(code: number, reason: string): void
  getBufferedAmount(): number
  cork(work: () => void): void
}
