import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** A request, whose signatures the package `standardwebhooks` has checked. */
interface Received {
  readonly id: string
  readonly body: string
  /** Names of the secrets whose signature was valid. */
  readonly signedBy: readonly string[]
}

/** A receiver of webhooks on loopback that verifies signatures. */
export class WebhookReceiver {
  readonly received: Received[] = []
  /** Number of connections. */
  connections = 0
  /** By default 204. */
  answer: (response: ServerResponse) => void = response => response.writeHead(204).end()
  readonly #server: Server
  readonly #secrets: Readonly<Record<string, string>>
  readonly #acceptsAnyTime: boolean

  /** `acceptsAnyTime`: for senders with a simulated clock. By default, a signature is valid for 5 minutes. */
  constructor(secrets: Readonly<Record<string, string>>, { acceptsAnyTime = false } = {}) {
    this.#secrets = secrets
    this.#acceptsAnyTime = acceptsAnyTime
    this.#server = createServer((request, response) => void this.#handle(request, response))
    this.#server.on('connection', () => (this.connections += 1))
  }

  /** Returns the port. */
  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks).toString()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const signedBy = Object.entries(this.#secrets).flatMap(([name, secret]) =>
      this.#isSigned(new Webhook(secret), body, headers) ? [name] : [],
    )
    this.received.push({ id: headers['webhook-id'] ?? '', body, signedBy })
    this.answer(response)
  }

  #isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
    if (this.#acceptsAnyTime) {
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
      const expected = webhook.sign(headers['webhook-id'] ?? '', at, body)
      return headers['webhook-signature']?.split(' ').includes(expected) ?? false
    }
    try {
      webhook.verify(body, headers)
      return true
    } catch {
      return false
    }
  }
}
