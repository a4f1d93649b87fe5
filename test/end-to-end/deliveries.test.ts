import { expect } from 'chai'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryResponse } from '../../schema/records/delivery.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import { WebhookReceiver } from '../respond/deliveries/webhook-receiver.ts'
import { MailServer } from '../respond/mail/mail-server.ts'
import { readAs } from '../support/read-as.ts'
import { startService, type TestService } from '../support/service.ts'
import { postSamples } from './plant-service.ts'

/** A full minute, so that the minutes of the limit are known. */
const startMs = Math.floor(Date.now() / minuteMs) * minuteMs
const hostileName = 'M0 <img src=x onerror=alert(1)>'
const hostileMessage = 'Oil\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script><a href="javascript:alert(1)">'
const machineIds = Array.from({ length: 150 }, () => randomUUID())

interface Body {
  readonly type: string
  readonly timestamp: string
  readonly data: {
    readonly incident?: { readonly id: string; readonly subject: { readonly id: string } }
    readonly count?: number
    readonly incidentIds?: readonly string[]
    readonly step?: number
  }
}

describe('deliveries of a running service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'takt-deliveries-'))
  const mails = new MailServer()
  const secrets: Record<string, string> = {}
  const receiver = new WebhookReceiver(secrets, { acceptsAnyTime: true })
  let service: TestService
  let nowMs = startMs

  before(async () => {
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, randomBytes(48).toString('base64'))
    service = await startService({
      nowMs,
      env: {
        TAKT_SMTP_URL: `smtp://127.0.0.1:${await mails.start()}`,
        TAKT_SMTP_FROM: 'Takt <takt@example.com>',
        TAKT_WEBHOOK_ALLOW: '127.0.0.0/8',
        TAKT_CONNECT_SECRET_FILE: secretFile,
        TAKT_PUBLIC_URL: 'https://takt.example.com',
      },
    })
    const url = `http://127.0.0.1:${await receiver.start()}/`
    await put('/alert-targets/shift', { name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
    const { secret } = await put('/alert-targets/chat', { name: 'Chat', kind: 'webhook', url })
    secrets['chat'] = String(secret)
    for (const [index, id] of machineIds.entries())
      await put(`/machines/${id}`, {
        name: index === 0 ? hostileName : `M${index}`,
        commissionedAt: at(-60_000),
        staleAfterMs: null,
      })
    const step = { afterMs: 0, until: 'resolved', targets: ['shift', 'chat'] }
    const stop = { name: 'Stopped', severity: 'warning', condition: { status: ['INACTIVE'] }, steps: [step] }
    await put('/alert-rules/stop', stop)
    await put('/alert-rules/fault', {
      ...stop,
      name: 'Fault',
      condition: { alarm: { nativeCodes: [], states: [], text: '' } },
    })
    await postSamples(
      service,
      machineIds.map(id => execution(id, 'ACTIVE', 0)),
      500,
    )
    await advance(2 * secondMs)
  })
  after(async () => {
    await service.stop()
    await mails.stop()
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const at = (ms: number) => new Date(startMs + ms).toISOString()
  const execution = (machineId: string, value: string, ms: number) => ({
    machineId,
    timestamp: at(ms),
    key: 'execution',
    type: 'EXECUTION',
    value,
  })

  async function put(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await service.call('PUT', path, body)
    expect(response.status, JSON.stringify(response.body)).to.equal(200)
    return readAs(response.body)
  }

  async function advance(ms: number): Promise<void> {
    nowMs = startMs + ms
    service.setClock(nowMs)
  }

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = Date.now() + 90_000
    while (!(await holds())) {
      if (Date.now() > untilMs) throw new Error(`Waited too long for ${what}`)
      await sleep(50)
    }
  }

  /** The bodies by id of the delivery: on a slow machine, a message may be sent again. */
  const messages = () => new Map(receiver.received.map(({ id, body }) => [id, readAs<Body>(JSON.parse(body))]))
  const bodies = (): readonly Body[] => [...messages().values()]
  const incidents = () => service.records.list('incident', service.companyId)

  it('A stop is one signed webhook and one mail; its end is a reply', async () => {
    const [first = ''] = machineIds
    await postSamples(service, [execution(first, 'READY', 2_500)], 500)
    await advance(3 * secondMs)
    await until('the webhook', () => messages().size === 1)
    const [incident] = incidents()
    expect(receiver.received[0]?.signedBy).to.deep.equal(['chat'])
    expect(bodies()[0]).to.deep.include({ type: 'incident.opened', timestamp: at(3 * secondMs) })
    expect(bodies()[0]?.data).to.deep.include({
      step: 1,
      repeat: 0,
      url: `https://takt.example.com/app/now?incident=${incident?.id}`,
    })
    expect(bodies()[0]?.data.incident).to.not.have.any.keys('notices', 'comments', 'companyId')
    expect(mails.received).to.have.length(0)
    await advance(9 * secondMs)
    await until('the mail', () => mails.received.length === 1)
    await postSamples(service, [execution(first, 'ACTIVE', 9_500)], 500)
    await advance(10 * secondMs)
    await until('the end', () => messages().size === 2)
    expect(bodies()[1]?.type).to.equal('incident.resolved')
    await advance(16 * secondMs)
    await until('the reply', () => mails.received.length === 2)
    const [opened, ended] = mails.received.map(({ mail }) => mail)
    expect(opened?.subject).to.equal(`[New] Stopped: ${hostileName}`)
    expect(ended?.subject).to.equal(`[Resolved] Stopped: ${hostileName}`)
    expect(ended?.inReplyTo).to.equal(opened?.messageId)
  })

  it('Many machines that stop together are one mail that names 100, and a second cause is reported', async () => {
    const [, second = '', ...others] = machineIds
    const before = messages().size
    const stopMs = minuteMs + secondMs
    await advance(stopMs + 500)
    await postSamples(
      service,
      [second, ...others].map(id => execution(id, 'READY', stopMs)),
      500,
    )
    await until('the incidents', () => incidents().filter(({ state }) => state === 'open').length === 149)
    const fault = { machineId: machineIds[0] ?? '', timestamp: at(stopMs + 400), key: 'system', type: 'SYSTEM' }
    await postSamples(
      service,
      [{ ...fault, category: 'CONDITION', value: 'FAULT', nativeCode: 'a', message: hostileMessage } as const],
      500,
    )
    const ofFault = () => incidents().find(({ ruleId }) => ruleId === 'fault')
    await until('the second cause', () => bodies().some(({ data }) => data.incident?.id === ofFault()?.id))
    await until('the webhooks', () => messages().size === before + 46)
    await advance(stopMs + 10 * secondMs)
    await until('the mails', () => mails.received.length === 4)
    const flood = mails.received.map(({ mail }) => mail).find(({ subject }) => subject?.includes('149'))
    expect(flood?.subject).to.equal('[New] Stopped: 149 incidents')
    expect(flood?.text?.match(/^Stopped: M\d+$/gm)).to.have.length(100)
    expect(flood?.text).to.include('and 49 more')

    await advance(2 * minuteMs + secondMs)
    await until('the summary', () => messages().size === before + 47)
    expect(bodies().at(-1)).to.deep.include({ type: 'incident.summary', timestamp: at(2 * minuteMs) })
    expect(bodies().at(-1)?.data.count).to.equal(104)
    expect(bodies().at(-1)?.data.incidentIds).to.have.length(100)
  })

  it('HTML and line breaks of a name or an alarm add no element, header or link to a mail', async () => {
    const found = mails.received.find(({ mail }) => mail.subject?.includes('Fault'))
    expect(found?.to).to.deep.equal(['shift@example.com'])
    expect(found?.raw).to.not.match(/^Bcc:/im)
    expect(found?.mail.subject).to.equal(`[New] Fault: ${hostileName}`)
    const detail = 'a Oil Bcc: eve@example.com <script>alert(1)</script><a href="javascript:alert(1)">'
    expect(found?.mail.text).to.include(detail)
    expect(found?.mail.html).to.not.match(/<(img|script)/)
    const links = [...(found?.mail.html?.matchAll(/href="([^"]*)"/g) ?? [])].map(([, link]) => link)
    const incident = incidents().find(({ ruleId }) => ruleId === 'fault')
    expect(links).to.deep.equal([`https://takt.example.com/app/now?incident=${incident?.id}`])
  })

  it('Deliveries are listed, newest first, in pages and by target, incident and state', async () => {
    const list = async (query: string) => {
      const { status, body } = await service.call('GET', `/deliveries?${query}`)
      expect(status, JSON.stringify(body)).to.equal(200)
      return readAs<readonly DeliveryResponse[]>(body)
    }
    // A receiver has a message before its outcome is stored.
    await until('the outcomes', async () => (await list('targetId=chat')).every(({ state }) => state === 'sent'))
    const pages = [await list('targetId=chat&limit=40')]
    pages.push(await list(`targetId=chat&limit=40&startId=${pages[0]?.at(-1)?.id}`))
    const received = [...messages().keys()]
    expect(pages.flat().map(({ id }) => id)).to.have.members(received)
    expect(pages.flat().map(({ state }) => state)).to.deep.equal(received.map(() => 'sent'))
    expect(pages.flat().map(({ createdAt }) => createdAt)).to.deep.equal(
      pages
        .flat()
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    )
    const [incident] = incidents()
    const events = (await list(`incidentId=${incident?.id}`)).map(({ event, targetId }) => `${event} ${targetId}`)
    expect(events).to.have.members([
      'incident.opened chat',
      'incident.opened shift',
      'incident.resolved chat',
      'incident.resolved shift',
    ])
    expect(await list('state=failed')).to.deep.equal([])
    expect((await service.call('GET', `/deliveries?startId=${randomUUID()}`)).status).to.equal(400)
  })

  it('A target that fails is shown; a receiver that is gone gets no further messages', async () => {
    const { length } = receiver.received
    receiver.answer = response => response.writeHead(500).end()
    const [first = ''] = machineIds
    const stop = async (value: string, ms: number) => {
      await advance(ms + 500)
      await postSamples(service, [execution(first, value, ms)], 500)
    }
    const target = () => service.records.get('alertTarget', service.companyId, 'chat')
    const failing = async () => {
      const { body } = await service.call('GET', '/alert-targets/chat')
      return readAs<{ readonly failingSince: string | null }>(body).failingSince
    }
    expect(await failing()).to.equal(null)
    const fault = { machineId: first, key: 'system', type: 'SYSTEM', category: 'CONDITION' } as const
    await advance(3 * minuteMs + 500)
    await postSamples(service, [{ ...fault, timestamp: at(3 * minuteMs), value: 'NORMAL' }], 500)
    await until('the attempt', () => receiver.received.length > length)
    await until('the failure', async () => (await failing()) === at(3 * minuteMs + 500))
    receiver.answer = response => response.writeHead(410).end()
    await advance(3 * minuteMs + 10 * secondMs)
    await until('the disabled target', () => target()?.disabledAt !== null)
    expect(target()?.disabledCause).to.equal('HTTP 410')
    const count = receiver.received.length
    await stop('READY', 4 * minuteMs)
    const ofChat = () =>
      service.records
        .list('delivery', service.companyId)
        .filter(({ targetId, state }) => targetId === 'chat' && state === 'abandoned')
    await until('the abandoned deliveries', () =>
      ofChat().some(({ lastError }) => lastError === 'The target is disabled'),
    )
    expect(receiver.received).to.have.length(count)
  })
})
