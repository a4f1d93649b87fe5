import { Server as SocketIo } from 'socket.io'
import { channelPath, channels, type Channel, type CloseReason } from '../../../schema/api/live.ts'
import type { Connection, Receiver } from '../connection.ts'
import type { Frame } from '../frame.ts'
import type { Live } from '../live.ts'
import { passThrough } from './pass-through.ts'
import { closeCodes, heartbeatMs, highWaterBytes, maxMessageBytes, receiveText } from './plain.ts'
import type { LiveServer } from './server.ts'
import { serveChannels, socketIoOptions, type SocketIoSettings } from './socket-io.ts'
import type { ListenSocket, Uws, UwsApp, UwsBehavior, UwsSocket } from './uws.ts'

export interface UwsServerSettings extends SocketIoSettings {
  readonly host: string
  /** 0: any free one; null: only what the HTTP service passes on comes here. */
  readonly port: number | null
}

/** What uWebSockets keeps with a socket. */
interface Client {
  receiver: Receiver | null
  /** From then on the socket must not be touched. */
  isClosed: boolean
}

/** What uWebSockets may keep for a client beyond what this service counts; a client above it is cut off. */
const maxBackpressureBytes = 64 * 1024 * 1024
const loopback = '127.0.0.1'

/** Carries the channels on a port of their own, with uWebSockets; what comes to the HTTP service is passed on to it. */
export async function createUwsServer(uws: Uws, live: Live, settings: UwsServerSettings): Promise<LiveServer> {
  let isAccepting = true
  const takes = () => isAccepting && !live.isFull
  const app = uws.App()
  for (const channel of channels) app.ws(channelPath + channel, behavior(uws, live, channel, takes))
  const io = new SocketIo({ ...socketIoOptions(settings), serveClient: false })
  io.attachApp(app, socketIoLimits(uws))
  serveChannels(io, live)
  app.any('/*', response => response.writeStatus('404 Not Found').end())
  const listening = await listen(app, settings.port === null ? loopback : settings.host, settings.port ?? 0)
  const port = uws.us_socket_local_port(listening)
  const target = { host: settings.port === null ? loopback : reachable(settings.host), port }
  const { request, upgrade } = passThrough(target, takes)
  let isListening = true
  const stopListening = () => {
    if (isListening) uws.us_listen_socket_close(listening)
    isListening = false
  }
  return {
    engine: 'uws',
    port: settings.port === null ? null : port,
    request,
    upgrade,
    stopAccepting() {
      isAccepting = false
      stopListening()
    },
    async close() {
      stopListening()
      await io.close()
      app.close()
    },
  }
}

function reachable(host: string): string {
  return host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host
}

function listen(app: UwsApp, host: string, port: number): Promise<ListenSocket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, socket => {
      if (socket) resolve(socket)
      else reject(new Error(`The live channels can't listen on ${host}:${port}`))
    })
  })
}

function limits({ DISABLED }: Uws) {
  return {
    compression: DISABLED,
    maxPayloadLength: maxMessageBytes,
    idleTimeout: (2 * heartbeatMs) / 1000,
    maxBackpressure: maxBackpressureBytes,
    closeOnBackpressureLimit: true,
  }
}

/** Engine.IO has a heartbeat of its own. */
function socketIoLimits(uws: Uws): object {
  return { ...limits(uws), idleTimeout: 0 }
}

function behavior(uws: Uws, live: Live, channel: Channel, takes: () => boolean): UwsBehavior<Client> {
  return {
    ...limits(uws),
    upgrade(response, request, context) {
      if (!takes()) {
        response.writeStatus('503 Service Unavailable').end()
        return
      }
      const header = (name: string) => request.getHeader(`sec-websocket-${name}`)
      const client: Client = { receiver: null, isClosed: false }
      response.upgrade(client, header('key'), header('protocol'), header('extensions'), context)
    },
    open: socket => {
      socket.getUserData().receiver = live.connect(channel, new UwsConnection(socket))
    },
    message: (socket, message) => {
      const { receiver } = socket.getUserData()
      if (receiver) receiveText(receiver, Buffer.from(message).toString())
    },
    drain: socket => {
      if (socket.getBufferedAmount() < highWaterBytes) socket.getUserData().receiver?.roomAgain()
    },
    close: socket => {
      const client = socket.getUserData()
      client.isClosed = true
      client.receiver?.closed()
    },
  }
}

class UwsConnection implements Connection {
  readonly #socket: UwsSocket<Client>
  readonly #client: Client

  constructor(socket: UwsSocket<Client>) {
    this.#socket = socket
    this.#client = socket.getUserData()
  }

  write(frames: readonly Frame[]): boolean {
    const [first, second] = frames
    if (first && !second) this.#send(first)
    else
      this.#socket.cork(() => {
        for (const frame of frames) this.#send(frame)
      })
    return this.#client.isClosed || this.#socket.getBufferedAmount() < highWaterBytes
  }

  close(reason: CloseReason): void {
    if (!this.#client.isClosed) this.#socket.end(closeCodes[reason], reason)
  }

  #send(frame: Frame): void {
    if (!this.#client.isClosed) this.#socket.send(frame.text, false, false)
  }
}
