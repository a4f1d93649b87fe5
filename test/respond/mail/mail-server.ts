import { once } from 'node:events'
import type { Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

interface Received {
  readonly to: readonly string[]
  readonly raw: string
  readonly mail: Email
  readonly isEncrypted: boolean
  readonly user: string | null
}

/** Error that the server answers with a code. */
export function answer(responseCode: number, text = 'answer of the test'): Error {
  return Object.assign(new Error(text), { responseCode })
}

/** An SMTP server on loopback that accepts everything, unless its options say otherwise. */
export class MailServer {
  readonly received: Received[] = []
  connections = 0
  readonly #sockets = new Set<Socket>()
  readonly #server: SMTPServer

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      hideSTARTTLS: true,
      closeTimeout: 100,
      onAuth: ({ username }, _, callback) => callback(null, { user: username }),
      onData: (stream, session, callback) => {
        this.#receive(stream, session).then(() => callback(), callback)
      },
      ...options,
    })
    this.#server.on('error', () => undefined)
    this.#server.server.on('connection', (socket: Socket) => {
      this.connections += 1
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
    })
  }

  /** Returns the port. */
  async start(): Promise<number> {
    const server = this.#server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.disconnect()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(Buffer.from(chunk))
    const raw = Buffer.concat(chunks).toString()
    const to = session.envelope.rcptTo.map(({ address }) => address)
    const user = typeof session.user === 'string' ? session.user : null
    this.received.push({ to, raw, mail: await PostalMime.parse(raw), isEncrypted: session.secure, user })
  }
}
