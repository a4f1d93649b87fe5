import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import type { CommandClient } from '../../../processors/registrar/client.ts'
import { Deliverer } from '../../../respond/deliver/deliverer.ts'
import { MessageSender } from '../../../respond/deliver/message-sender.ts'
import { MailSender } from '../../../respond/mail/mail-sender.ts'
import type { Outcome } from '../../../schema/commands/command-log.ts'
import type { CommandName, Payload, Result } from '../../../schema/commands/commands.ts'
import { SecretBox } from '../../../shared/secret-box.ts'
import { WebhookAddresses } from '../../../shared/webhook-addresses.ts'
import { eventually } from '../../log/fixture.ts'
import { hour, Plant } from '../../processors/registrar/plant.ts'
import { WebhookReceiver } from '../deliveries/webhook-receiver.ts'
import { MailServer } from '../mail/mail-server.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const

describe('deliverer', () => {
  const mails = new MailServer()
  const receiver = new WebhookReceiver({ chat: secret })
  const running: Deliverer[] = []
  /** Ends of the commands that hang. */
  const hanging: ((error: Error) => void)[] = []
  let url: string
  let smtpUrl: string

  before(async () => {
    url = `http://127.0.0.1:${await receiver.start()}/`
    smtpUrl = `smtp://127.0.0.1:${await mails.start()}`
  })
  beforeEach(() => {
    receiver.received.length = 0
    mails.received.length = 0
    receiver.answer = response => response.writeHead(204).end()
  })
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop()
  })
  after(async () => {
    await mails.stop()
    await receiver.stop()
  })

  /** A plant with a rule that notifies a webhook and an address. */
  function scene() {
    const plant = new Plant()
    const box = new SecretBox(randomBytes(48))
    const sealed = box.encrypt(secret, `${plant.companyId}/chat/webhook`)
    plant.result('alertTarget.put', { id: 'chat', name: 'Chat', kind: 'webhook', url, secret: sealed })
    plant.result('alertTarget.put', { id: 'shift', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['chat', 'shift'] }] as const
    const condition = { stop: { reasons: [] } }
    for (const id of ['r', 'unpaused'])
      plant.result('alertRule.put', { id, name: 'Stop', severity: 'info', condition, steps })
    const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
    const open = (ruleId = 'r') => {
      const id = randomUUID()
      const subject = { type: 'machine', id: plant.machine(), name: 'Lathe' } as const
      const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
      const opened = { type: 'open', id, ruleId, activeFrom: hour(0), subject, detail: {}, times } as const
      const step = { type: 'step', id, step: 1, repeat: 0 } as const
      plant.result('incident.evaluate', { partition: 0, fence, changes: [opened, step] })
      return id
    }
    const failed: string[] = []
    /** `fails`: commands that have no effect, as if the process ended before. */
    const start = (fails: ReadonlySet<string> = new Set(), { hasMails = true, hangs = '' } = {}) => {
      const deliverer = createDeliverer(plant, box, fence, { fails, failed, hasMails, hangs })
      running.push(deliverer)
      return deliverer
    }
    return { plant, open, start, failed, fence }
  }

  interface Failures {
    readonly fails: ReadonlySet<string>
    /** The commands that failed. */
    readonly failed: string[]
    readonly hasMails: boolean
    /** The command that does not end. */
    readonly hangs: string
  }

  function createDeliverer(plant: Plant, box: SecretBox, fence: number, failures: Failures): Deliverer {
    const { fails, failed, hasMails, hangs } = failures
    const clock = () => plant.nowMs
    const submit = async <Name extends CommandName>(
      name: Name,
      payload: Payload<Name>,
      { companyId }: Parameters<CommandClient['submit']>[2],
    ): Promise<Outcome<Result<Name>>> => {
      if (name === hangs) return new Promise((_, reject) => hanging.push(reject))
      if (fails.has(name)) {
        failed.push(name)
        throw new Error('The process has ended')
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract was checked
      return plant.do(name, payload, { companyId }).outcome as Outcome<Result<Name>>
    }
    const sender = new MessageSender({
      records: plant.records,
      mails: hasMails ? new MailSender({ url: smtpUrl, password: '', from: 'Takt <takt@example.com>' }) : null,
      webhookAddresses: new WebhookAddresses(['127.0.0.0/8']),
      secrets: box,
      publicUrl: null,
      // Receivers reject signatures of another time.
      clock: Date.now,
    })
    const logger = pino({ level: process.env['TAKT_TEST_LOG'] ?? 'silent' }, pino.destination(2))
    const fences = () => new Map([[0, fence]])
    return new Deliverer({
      records: plant.records,
      commands: { submit },
      sender,
      perMinute: 60,
      clock,
      fences,
      partitions: 1,
      logger,
    })
  }

  async function until(deliverer: Deliverer, holds: () => boolean): Promise<void> {
    const untilMs = Date.now() + 60_000
    while (!holds()) {
      if (Date.now() > untilMs) throw new Error('Waited too long')
      deliverer.tick()
      await sleep(20)
    }
  }

  const deliveries = (plant: Plant) => plant.records.list('delivery', plant.companyId)

  it('A pause of another company plans no messages again', async () => {
    const { plant, open, start } = scene()
    const { companyId: other } = plant.result('company.create', { companyName: 'Other' }, { companyId: null })
    const deliverer = start()
    open()
    await until(deliverer, () => receiver.received.length === 1)
    const { records } = plant
    const list = records.list.bind(records)
    let plans = 0
    records.list = (kind, companyId) => {
      if (kind === 'alertPause' && companyId === plant.companyId) plans++
      return list(kind, companyId)
    }
    const pause = { subject: {}, startAt: hour(0), endAt: hour(1) }
    plant.result('alertPause.put', { ...pause, id: randomUUID() }, { companyId: other })
    deliverer.tick()
    expect(plans).to.equal(0)
    plant.result('alertPause.put', { ...pause, id: randomUUID() })
    await until(deliverer, () => plans > 0)
  })

  it('A webhook is sent immediately, a mail after the time of collection, and the end to both', async () => {
    const { plant, open, start } = scene()
    const deliverer = start()
    const ids = [open(), open()]
    await until(deliverer, () => receiver.received.length === 2)
    expect(receiver.received.map(({ signedBy }) => signedBy)).to.deep.equal([['chat'], ['chat']])
    expect(mails.received).to.have.length(0)
    plant.nowMs += 5_000
    await until(deliverer, () => mails.received.length === 1)
    expect(mails.received[0]?.mail.subject).to.equal('[New] Stop: 2 incidents')
    plant.result('incident.resolve', { id: ids[0] ?? '', by })
    await until(deliverer, () => receiver.received.length === 3)
    plant.nowMs += 5_000
    await until(deliverer, () => mails.received.length === 2)
    expect(mails.received[1]?.mail.inReplyTo).to.equal(mails.received[0]?.mail.messageId)
    await until(deliverer, () => deliveries(plant).every(({ state }) => state === 'sent'))
    expect(deliveries(plant)).to.have.length(5)
  })

  it('A notice of an incident is sent without a further check', async () => {
    const { open, start } = scene()
    start().tick()
    open()
    await eventually(() => receiver.received.length === 1)
  })

  it('A process that ends before it stored the outcome repeats the message with the same id', async () => {
    const { plant, open, start } = scene()
    open()
    const first = start(new Set(['delivery.record']))
    await until(first, () => receiver.received.length === 1)
    await first.stop()
    const second = start()
    await until(second, () => receiver.received.length === 2)
    const [a, b] = receiver.received.map(({ id }) => id)
    expect(a).to.equal(b)
    await until(second, () => deliveries(plant).some(({ targetId, state }) => targetId === 'chat' && state === 'sent'))
  })

  it('A partition is released when the outcomes of its attempts are stored, so that no message is repeated', async () => {
    const { plant, open, start } = scene()
    const answers: (() => void)[] = []
    receiver.answer = response => answers.push(() => response.writeHead(204).end())
    open()
    const first = start()
    await until(first, () => receiver.received.length === 1)
    const released = first.release([0])
    open()
    first.tick()
    for (const answer of answers) answer()
    await released
    expect(deliveries(plant).map(({ targetId, state }) => [targetId, state])).to.deep.equal([['chat', 'sent']])
    receiver.answer = response => response.writeHead(204).end()
    await until(start(), () => receiver.received.length === 2)
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(2)
  })

  it('A partition is released although the outcome of an attempt is not stored for long', async () => {
    const { open, start } = scene()
    open()
    const deliverer = start(new Set(), { hangs: 'delivery.record' })
    await until(deliverer, () => receiver.received.length === 1)
    await deliverer.release([0])
    expect(hanging).to.have.length(1)
    for (const end of hanging.splice(0)) end(new Error('The log did not respond'))
  })

  it('A mail waits for a process that has the settings of a mail server', async () => {
    const { plant, open, start } = scene()
    open()
    const first = start(new Set(), { hasMails: false })
    await until(first, () => receiver.received.length === 1)
    plant.nowMs += 5_000
    const failed = () => deliveries(plant).filter(({ lastError }) => lastError?.includes('TAKT_SMTP_URL'))
    await until(first, () => failed().length === 1)
    await first.stop()
    await until(start(), () => mails.received.length === 1)
  })

  it('The mail of a user names only incidents that the role of the user may see', async () => {
    const { plant, start, fence } = scene()
    for (const role of ['operator', 'manager'] as const) {
      const user = { email: `${role}@example.com`, displayName: role, role, passwordHash: 'x'.repeat(60) }
      const { id: userId } = plant.result('user.create', user)
      plant.result('alertTarget.put', { id: role, name: role, kind: 'user', userId, collectMs: 0 })
    }
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['operator', 'manager'] }] as const
    const lost = { id: 'lost', name: 'Lost', severity: 'info', steps } as const
    plant.result('alertRule.put', { ...lost, condition: { connector: 'disconnected' } })
    plant.result('alertRule.put', { ...lost, id: 'stop', name: 'Stop', condition: { stop: { reasons: [] } } })
    const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
    const subjects = {
      lost: { type: 'connector', id: 'c', name: 'Gateway of hall 7' },
      stop: { type: 'machine', id: plant.machine(), name: 'Lathe' },
    } as const
    const changes = (['lost', 'stop'] as const).flatMap(ruleId => {
      const id = randomUUID()
      const open = {
        type: 'open',
        id,
        ruleId,
        activeFrom: hour(0),
        subject: subjects[ruleId],
        detail: {},
        times,
      } as const
      return [open, { type: 'step', id, step: 1, repeat: 0 } as const]
    })
    plant.result('incident.evaluate', { partition: 0, fence, changes })
    plant.nowMs += 5_000
    const states = () => deliveries(plant).map(({ state }) => state)
    await until(
      start(),
      () => states().length === 4 && states().every(state => state === 'sent' || state === 'abandoned'),
    )
    const subjectsOf = (address: string) =>
      mails.received.filter(({ to }) => to.includes(address)).map(({ mail }) => mail.subject)
    expect(subjectsOf('manager@example.com')).to.have.members(['[New] Lost: Gateway of hall 7', '[New] Stop: Lathe'])
    expect(subjectsOf('operator@example.com')).to.deep.equal(['[New] Stop: Lathe'])
    expect(deliveries(plant).find(({ state }) => state === 'abandoned')?.lastError).to.match(/role of the user/)
  })

  it('No message precedes its record', async () => {
    const { plant, open, start, failed } = scene()
    open()
    const deliverer = start(new Set(['delivery.create']))
    await until(deliverer, () => failed.length > 0)
    plant.nowMs += 1_000
    await until(deliverer, () => failed.length > 1)
    expect(receiver.received).to.have.length(0)
  })

  it('A receiver that is gone disables its target, whose further deliveries are abandoned', async () => {
    const { plant, open, start } = scene()
    receiver.answer = response => response.writeHead(410).end()
    const deliverer = start()
    open()
    const chat = () => plant.records.get('alertTarget', plant.companyId, 'chat')
    await until(deliverer, () => chat()?.disabledAt != null)
    open()
    const isAbandoned = () => deliveries(plant).filter(({ state }) => state === 'abandoned').length === 2
    await until(deliverer, isAbandoned)
    expect(receiver.received).to.have.length(1)
  })

  it('In a pause nothing is sent; afterwards only what is still due', async () => {
    const { plant, open, start } = scene()
    const pause = { id: 'p', subject: { machineIds: [], ruleIds: ['r'] }, startAt: hour(-1), endAt: hour(1) }
    plant.result('alertPause.put', pause)
    const deliverer = start()
    const [resolved, , unpaused] = [open(), open(), open('unpaused')]
    await until(deliverer, () => receiver.received.length === 1)
    expect(receiver.received[0]?.body).to.include(unpaused)
    plant.result('incident.resolve', { id: resolved, by })
    plant.nowMs += 3_600_000
    await until(deliverer, () => receiver.received.length === 2)
    expect(receiver.received[1]?.body).to.not.include(resolved)
    expect(plant.records.get('incident', plant.companyId, resolved)?.notices).to.deep.equal([])
  })
})
