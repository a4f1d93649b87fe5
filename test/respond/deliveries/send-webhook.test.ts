import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import { createUDPServer, Packet } from 'dns2'
import { sendWebhook, type WebhookMessage, type WebhookPorts } from '../../../respond/deliveries/send-webhook.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import type { ResolveName } from '../../../shared/allowed-lookup.ts'
import { WebhookAddresses } from '../../../shared/webhook-addresses.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const current = newSecret()
const previous = newSecret()
const other = newSecret()
const loopback = new WebhookAddresses(['127.0.0.1'])

describe('webhooks', () => {
  let receiver: WebhookReceiver
  let port: number

  beforeEach(async () => {
    receiver = new WebhookReceiver({ current, previous, other })
    port = await receiver.start()
  })
  afterEach(() => receiver.stop())

  const send = (message: Partial<WebhookMessage> = {}, ports: Partial<WebhookPorts> = {}) =>
    sendWebhook(
      { url: `http://127.0.0.1:${port}/hook`, id: 'delivery-1', body: '{"type":"ä"}', secrets: [current], ...message },
      { addresses: loopback, clock: Date.now, signal: new AbortController().signal, ...ports },
    )
  const errorOf = async (sending: ReturnType<typeof send>) => {
    const outcome = await sending
    return 'error' in outcome ? outcome.error : outcome.kind
  }

  it('A receiver verifies the signature by its secret, and by no other one', async () => {
    expect(await send()).to.deep.equal({ kind: 'sent', note: null })
    expect(receiver.received).to.deep.equal([{ id: 'delivery-1', body: '{"type":"ä"}', signedBy: ['current'] }])
  })

  it('After a rotation, both secrets sign', async () => {
    await send({ secrets: [current, previous] })
    expect(receiver.received[0]?.signedBy).to.deep.equal(['current', 'previous'])
  })

  it('The timestamp is that of the attempt: a receiver rejects an old one', async () => {
    await send({}, { clock: () => Date.now() - 3_600_000 })
    expect(receiver.received[0]?.signedBy).to.deep.equal([])
  })

  it('A response other than 2xx fails, with the delay that the receiver requests', async () => {
    receiver.answer = response => response.writeHead(500).end('internal')
    expect(await send()).to.deep.equal({ kind: 'failed', error: 'HTTP 500', retryAfterMs: null })
    receiver.answer = response => response.writeHead(429, { 'Retry-After': '120' }).end()
    expect(await send()).to.deep.equal({ kind: 'failed', error: 'HTTP 429', retryAfterMs: 120_000 })
    const nowMs = Date.UTC(2026, 0, 1)
    receiver.answer = response => response.writeHead(503, { 'Retry-After': 'Thu, 01 Jan 2026 00:01:30 GMT' }).end()
    expect(await send({}, { clock: () => nowMs })).to.include({ retryAfterMs: 90_000 })
    receiver.answer = response => response.writeHead(503, { 'Retry-After': 'soon' }).end()
    expect(await send()).to.include({ kind: 'failed', retryAfterMs: null })
  })

  it('410 states that the receiver is gone', async () => {
    receiver.answer = response => response.writeHead(410).end()
    expect(await send()).to.deep.equal({ kind: 'gone', error: 'HTTP 410' })
  })

  it('A redirect is not followed, by any status and to any address', async () => {
    const locations = [`http://127.0.0.1:${port}/other`, 'http://169.254.169.254/', '//[::1]/', 'file:///etc/passwd']
    for (const status of [301, 302, 303, 307, 308])
      for (const location of locations) {
        receiver.answer = response => response.writeHead(status, { Location: location }).end()
        expect(await errorOf(send())).to.equal(`HTTP ${status}: redirects are not followed`)
      }
    expect(receiver.received).to.have.length(5 * locations.length)
  })

  it('Line breaks in an address add no header and no request', async () => {
    const url = `http://127.0.0.1:${port}/hook\r\nX-Injected: 1\r\n\r\nPOST /second HTTP/1.1`
    expect(await send({ url })).to.include({ kind: 'sent' })
    expect(receiver.received).to.have.length(1)
    expect(receiver.received[0]?.signedBy).to.deep.equal(['current'])
  })

  it('A receiver that does not respond in time fails', async () => {
    receiver.answer = () => undefined
    expect(await errorOf(send({}, { timeoutMs: 50 }))).to.equal('The receiver did not respond within 0.05 s')
  })

  it('A receiver that is not reachable, or closes the connection, fails', async () => {
    receiver.answer = response => response.destroy()
    expect(await errorOf(send())).to.equal('socket hang up')
    expect(await errorOf(send({ url: 'http://127.0.0.1:1/' }))).to.match(/ECONNREFUSED/)
  })

  it('A receiver that switches the protocol fails', async () => {
    receiver.answer = response =>
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    expect(await errorOf(send())).to.equal('The receiver closed the connection without a response')
  })

  it('A small part of a response of 1 GB is read', async () => {
    const closed = new Promise<number>(resolve => {
      receiver.answer = response => {
        const chunk = Buffer.alloc(1_048_576)
        let bytes = 0
        const write = () => {
          while (bytes < 1_073_741_824) {
            bytes += chunk.length
            if (!response.write(chunk)) return void response.once('drain', write)
          }
          response.end()
        }
        response.on('close', () => resolve(bytes))
        write()
      }
    })
    expect(await send()).to.include({ kind: 'sent' })
    expect(await closed).to.be.lessThan(64 * 1_048_576)
  })

  it('The connection of a response without an end is closed after the time limit', async () => {
    const closed = deferred<void>()
    receiver.answer = response => {
      response.once('close', () => closed.resolve())
      response.writeHead(200).write('endless')
    }
    expect(await send({}, { timeoutMs: 2_000 })).to.deep.equal({ kind: 'sent', note: null })
    await closed.promise
  })

  it('A signal aborts the request', async () => {
    const stop = new AbortController()
    receiver.answer = () => stop.abort()
    expect(await send({}, { signal: stop.signal })).to.include({ kind: 'failed' })
  })

  it('Addresses outside the allowed networks are not connected, in any form', async () => {
    const addresses = new WebhookAddresses(['public'])
    const loopbackForms = ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '017700000001', '0.0.0.0']
    const wide = ['１２７.0.0.1', '127。0。0。1', 'ⓛocalhost', 'LOCALHOST', 'localhost', 'hook.example@127.0.0.1']
    const ipv6 = ['::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:1', '::127.0.0.1']
    const embedded = ['64:ff9b::7f00:1', '2002:7f00:1::', 'fe80::1', 'fd00::1', 'fd00:ec2::254'].map(ip => `[${ip}]`)
    const metadata = ['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '[::ffff:a9fe:a9fe]']
    const privately = ['10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1', '255.255.255.255']
    const forms = [...loopbackForms, ...wide, ...ipv6.map(ip => `[${ip}]`), ...embedded, ...metadata, ...privately]
    for (const form of forms)
      expect(await errorOf(send({ url: `http://${form}:${port}/` }, { addresses })), form).to.match(
        /is not allowed: .*TAKT_WEBHOOK_ALLOW/,
      )
    expect(receiver.connections).to.equal(0)
  })

  it('A named host is allowed at any address', async () => {
    const addresses = new WebhookAddresses(['LOCALHOST'])
    expect(await send({ url: `http://localhost:${port}/` }, { addresses })).to.include({ kind: 'sent' })
    expect(await send({}, { addresses })).to.include({ kind: 'failed' })
  })

  describe('with a name server', () => {
    /** Addresses of the next questions; the last one stays. */
    let answers: string[]
    let resolve: ResolveName
    let server: ReturnType<typeof createUDPServer>

    beforeEach(async () => {
      server = createUDPServer((request, respond) => {
        const response = Packet.createResponseFromRequest(request)
        const name = request.questions[0]?.name ?? ''
        const address = (answers.length > 1 ? answers.shift() : answers[0]) ?? ''
        response.answers.push(
          new Packet.Resource({ name, type: Packet.TYPE.A, class: Packet.CLASS.IN, ttl: 0, address }),
        )
        respond(response).catch(() => undefined)
      })
      await server.listen(0, '127.0.0.1')
      const resolver = new Resolver()
      resolver.setServers([`127.0.0.1:${server.address().port}`])
      resolve = (hostname, _, callback) =>
        resolver.resolve4(hostname, (error, found) => {
          callback(error, error ? [] : found.map(address => ({ address, family: 4 })))
        })
    })
    afterEach(async () => {
      const closed = once(server, 'close')
      void server.close()
      await closed
    })

    const sendToName = (allowed: string) =>
      send({ url: `http://hook.example:${port}/` }, { addresses: new WebhookAddresses([allowed]), resolve })

    it('A name with a forbidden address is not connected', async () => {
      answers = ['127.0.0.1']
      expect(await errorOf(sendToName('public'))).to.match(/^The address hook\.example is not allowed/)
      expect(receiver.connections).to.equal(0)
      expect(await sendToName('127.0.0.1')).to.include({ kind: 'sent' })
    })

    it('Of several addresses of a name, the allowed ones are connected only', async () => {
      const both: ResolveName = (_hostname, _options, callback) =>
        callback(
          null,
          ['127.0.0.2', '127.0.0.1'].map(address => ({ address, family: 4 })),
        )
      const addresses = new WebhookAddresses(['127.0.0.2'])
      expect(await send({ url: `http://hook.example:${port}/` }, { addresses, resolve: both })).to.include({
        kind: 'failed',
      })
      expect(receiver.connections).to.equal(0)
    })

    it('A name that changes to a forbidden address after the check is connected at the checked address', async () => {
      // No receiver is at the allowed address, which is of loopback too.
      answers = ['127.0.0.2', '127.0.0.1']
      expect(await errorOf(sendToName('127.0.0.2'))).to.match(/ECONNREFUSED 127\.0\.0\.2/)
      expect(await errorOf(sendToName('127.0.0.2'))).to.match(/^The address hook\.example is not allowed/)
      expect(receiver.connections).to.equal(0)
    })
  })
})
