import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SMTPServerOptions } from 'smtp-server'
import { type Mail, MailSender, type MailSenderOptions, type SmtpSettings } from '../../../respond/mail/mail-sender.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { answer, MailServer } from './mail-server.ts'

const mail: Mail = {
  deliveryId: '5a1c0c9e-0000-5000-8000-000000000001',
  repliesTo: null,
  to: ['ada@example.com', 'bob@example.com'],
  subject: '[Neu] Störung: Fräse 1',
  text: 'Größe\n',
  html: '<p>Größe</p>',
}

describe('mails over SMTP', () => {
  const stops: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  async function start(options: SMTPServerOptions = {}) {
    const server = new MailServer(options)
    stops.push(() => server.stop())
    return { server, port: await server.start() }
  }
  const senderTo = (port: number, settings: Partial<SmtpSettings> = {}, options: MailSenderOptions = {}) =>
    new MailSender(
      { url: `smtp://127.0.0.1:${port}`, password: '', from: 'Takt <takt@plant.example>', ...settings },
      options,
    )
  const send = (sender: MailSender, changes: Partial<Mail> = {}) =>
    sender.send({ ...mail, ...changes }, new AbortController().signal)

  it('A mail has a text and an HTML part, and the same id in each attempt', async () => {
    const { server, port } = await start()
    expect(await send(senderTo(port))).to.deep.equal({ kind: 'sent', note: null })
    await send(senderTo(port))
    const [first, second] = server.received
    expect(first?.to).to.deep.equal(mail.to)
    expect(first?.mail).to.deep.include({ subject: mail.subject, messageId: `<${mail.deliveryId}@plant.example>` })
    expect(first?.mail.from).to.deep.include({ name: 'Takt', address: 'takt@plant.example' })
    expect(first?.mail.text?.trim()).to.equal('Größe')
    expect(first?.mail.html?.trim()).to.equal('<p>Größe</p>')
    expect(first?.mail.headers).to.deep.include({
      key: 'auto-submitted',
      originalKey: 'Auto-Submitted',
      value: 'auto-generated',
    })
    expect(second?.mail.messageId).to.equal(first?.mail.messageId)
  })

  it('A later mail of an incident replies to the first one', async () => {
    const { server, port } = await start()
    await send(senderTo(port), { repliesTo: 'first' })
    expect(server.received[0]?.mail).to.include({
      inReplyTo: '<first@plant.example>',
      references: '<first@plant.example>',
    })
  })

  it('No value adds a header, an address or a part', async () => {
    const { server, port } = await start()
    const injected = 'x\r\nBcc: eve@example.com\r\n\r\nbody'
    await send(senderTo(port), { subject: injected, repliesTo: 'x>\r\nBcc: eve@example.com' })
    await send(senderTo(port), { to: ['ada@example.com, eve@example.com'] })
    await send(senderTo(port), { to: ['ada@example.com\r\nRCPT TO:<eve@example.com>'] })
    for (const { raw, to } of server.received) {
      expect(raw).not.to.match(/^Bcc:/im)
      expect(to).not.to.include('eve@example.com')
    }
    expect(server.received[0]?.to).to.deep.equal(mail.to)
  })

  it('A line of a text with a point does not end the mail', async () => {
    const { server, port } = await start()
    await send(senderTo(port), { text: 'a\r\n.\r\nQUIT\r\nb' })
    expect(server.received[0]?.mail.text).to.contain('QUIT')
  })

  describe('with TLS', () => {
    let folder: string
    let tls: { readonly ca: string; readonly key: string; readonly cert: string }
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'takt-smtp-'))
      const { caFile, keyFile, certFile } = makeCertificate(folder)
      const read = (file: string) => readFileSync(file, 'utf8')
      tls = { ca: read(caFile), key: read(keyFile), cert: read(certFile) }
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    const startTls = (options: SMTPServerOptions = {}) =>
      start({ key: tls.key, cert: tls.cert, hideSTARTTLS: false, ...options })

    it('STARTTLS is used if the server offers it, with and without a password', async () => {
      const { server, port } = await startTls()
      expect(await send(senderTo(port, {}, { ca: tls.ca }))).to.include({ kind: 'sent' })
      const url = `smtp://takt%40plant@127.0.0.1:${port}`
      expect(await send(senderTo(port, { url, password: 'secret' }, { ca: tls.ca }))).to.include({ kind: 'sent' })
      expect(server.received.map(({ isEncrypted, user }) => [isEncrypted, user])).to.deep.equal([
        [true, null],
        [true, 'takt@plant'],
      ])
    })

    it('smtps encrypts from the start', async () => {
      const { server, port } = await startTls({ secure: true })
      expect(await send(senderTo(port, { url: `smtps://127.0.0.1:${port}` }, { ca: tls.ca }))).to.include({
        kind: 'sent',
      })
      expect(server.received[0]?.isEncrypted).to.equal(true)
    })

    it('A password is never sent without encryption', async () => {
      const passwords: unknown[] = []
      const { port } = await start({
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _, callback) => {
          passwords.push(password)
          callback(null, { user: username })
        },
      })
      const outcome = await send(senderTo(port, { url: `smtp://takt@127.0.0.1:${port}`, password: 'secret' }))
      expect(outcome.kind).to.equal('failed')
      expect(passwords).to.deep.equal([])
    })

    it('A certificate of an unknown authority fails, and no mail is sent', async () => {
      const { server, port } = await startTls()
      expect(await send(senderTo(port))).to.include({ kind: 'failed' })
      expect(server.received).to.deep.equal([])
    })

    it('A wrong password (535) fails: a later attempt may succeed', async () => {
      const { port } = await startTls({ onAuth: (_auth, _session, callback) => callback(answer(535)) })
      const sender = senderTo(port, { url: `smtp://takt@127.0.0.1:${port}`, password: 'wrong' }, { ca: tls.ca })
      const outcome = await send(sender)
      expect(outcome).to.include({ kind: 'failed', retryAfterMs: null })
      expect(JSON.stringify(outcome)).to.contain('535').and.not.to.contain('wrong')
    })
  })

  it('A permanent refusal of all addresses or of the content is rejected; every other error fails', async () => {
    const outcomes: Record<string, string> = {}
    for (const code of [421, 450, 550]) {
      const steps: Record<string, SMTPServerOptions> = {
        connect: { onConnect: (_, callback) => callback(answer(code)) },
        from: { onMailFrom: (_address, _session, callback) => callback(answer(code)) },
        to: { onRcptTo: (_address, _session, callback) => callback(answer(code)) },
        data: { onData: (stream, _, callback) => void stream.resume().on('end', () => callback(answer(code))) },
      }
      for (const [step, options] of Object.entries(steps)) {
        const { port } = await start(options)
        outcomes[`${step} ${code}`] = (await send(senderTo(port))).kind
      }
    }
    const failing = Object.entries(outcomes).filter(([, kind]) => kind === 'failed')
    expect(failing).to.have.length(10)
    expect(outcomes).to.include({ 'to 550': 'rejected', 'data 550': 'rejected' })
  })

  describe('if the server refuses one of two addresses', () => {
    const refusing = (code: number): SMTPServerOptions => ({
      onRcptTo: ({ address }, _, callback) => callback(address.startsWith('bob') ? answer(code) : null),
    })

    it('The mail is sent, with a note, if the refusal is permanent', async () => {
      const { port } = await start(refusing(550))
      const outcome = await send(senderTo(port))
      expect(outcome.kind).to.equal('sent')
      expect('note' in outcome && outcome.note).to.contain('550')
    })

    it('The mail remains for this address otherwise', async () => {
      const { server, port } = await start(refusing(451))
      expect(await send(senderTo(port))).to.deep.include({ kind: 'failed', remaining: ['bob@example.com'] })
      expect(server.received).to.have.length(1)
    })

    it('One permanent and one temporary refusal fail', async () => {
      const { port } = await start({
        onRcptTo: ({ address }, _, callback) => callback(answer(address.startsWith('bob') ? 550 : 450)),
      })
      expect(await send(senderTo(port))).to.include({ kind: 'failed' })
    })
  })

  it('A server that refuses, stalls or disconnects fails', async () => {
    expect(await send(senderTo(1))).to.include({ kind: 'failed' })
    const steps: Record<string, (server: () => MailServer) => SMTPServerOptions> = {
      'stall at MAIL FROM': () => ({ onMailFrom: () => undefined }),
      'stall after the content': () => ({ onData: stream => void stream.resume() }),
      'disconnect at RCPT TO': server => ({ onRcptTo: () => server().disconnect() }),
      'disconnect in the content': server => ({ onData: () => server().disconnect() }),
    }
    for (const [name, options] of Object.entries(steps)) {
      const { server, port } = await start(options(() => server))
      expect((await send(senderTo(port, {}, { timeoutMs: 300 }))).kind, name).to.equal('failed')
    }
  })

  it('A server that responds byte by byte, or without end, fails at the limit', async () => {
    const serve = async (talk: (socket: Socket) => void) => {
      const server: Server = createServer(socket => {
        socket.on('error', () => undefined)
        talk(socket)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      stops.push(() => void server.close())
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    }
    const slow = await serve(socket => {
      const timer = setInterval(() => socket.write('2'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await send(senderTo(slow, {}, { timeoutMs: 300 }))).to.deep.equal({
      kind: 'failed',
      error: 'The server did not accept the mail in 0.3 s',
      retryAfterMs: null,
    })
    let bytes = 0
    const endless = await serve(socket => {
      const chunk = Buffer.alloc(65_536, '2')
      const write = (): void => {
        while (!socket.destroyed && (bytes += chunk.length) < 1_073_741_824) if (!socket.write(chunk)) return
        socket.destroy()
      }
      socket.on('drain', write)
      write()
    })
    expect(await send(senderTo(endless))).to.include({ kind: 'failed' })
    expect(bytes).to.be.lessThan(64 * 1_048_576)
  })

  it('A signal ends the attempt', async () => {
    const stop = new AbortController()
    const { port } = await start({ onMailFrom: () => stop.abort() })
    expect(await senderTo(port).send(mail, stop.signal)).to.include({ kind: 'failed' })
  })
})
