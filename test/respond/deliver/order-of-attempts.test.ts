import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import type { CommandClient } from '../../../processors/registrar/client.ts'
import { Deliverer } from '../../../respond/deliver/deliverer.ts'
import type { Attempt } from '../../../respond/deliver/message-sender.ts'
import { TargetWorker } from '../../../respond/deliver/target-worker.ts'
import type { Outcome } from '../../../respond/deliveries/outcome.ts'
import type { Outcome as CommandOutcome } from '../../../schema/commands/command-log.ts'
import type { CommandName, Payload, Result } from '../../../schema/commands/commands.ts'
import { SecretBox } from '../../../shared/secret-box.ts'
import { eventually } from '../../log/fixture.ts'
import { hour, Plant } from '../../processors/registrar/plant.ts'

/** A plant whose companies have a rule for each of several webhooks, and a deliverer whose attempts are recorded. */
class Scene {
  readonly plant = new Plant()
  /** Targets of the attempts, in order. */
  readonly attempts: string[] = []
  send: (targetId: string) => Promise<Outcome> = async () => ({ kind: 'sent', note: null })
  readonly fence = this.plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null }).fence
  readonly #box = new SecretBox(randomBytes(48))

  readonly commands: Pick<CommandClient, 'submit'> = {
    submit: async <Name extends CommandName>(
      name: Name,
      payload: Payload<Name>,
      { companyId }: Parameters<CommandClient['submit']>[2],
    ): Promise<CommandOutcome<Result<Name>>> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract was checked
      this.plant.do(name, payload, { companyId }).outcome as CommandOutcome<Result<Name>>,
  }

  readonly ports = {
    records: this.plant.records,
    commands: this.commands,
    sender: {
      send: async ({ delivery: { targetId } }: Attempt) => {
        this.attempts.push(targetId)
        return this.send(targetId)
      },
    },
    perMinute: 600,
    clock: () => this.plant.nowMs,
  }

  /** Adds webhooks with the names `<prefix>0` … and a rule that notifies all of them. */
  addTargets(companyId: string, prefix: string, count: number): void {
    const targets = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    for (const id of targets) {
      const secret = this.#box.encrypt('whsec_AA', `${companyId}/${id}/webhook`)
      const fields = { id, name: id, kind: 'webhook', url: 'https://example.com', secret } as const
      this.plant.result('alertTarget.put', fields, { companyId })
    }
    const steps = Array.from({ length: Math.ceil(count / 20) }, (_, index) => ({
      afterMs: 0,
      until: 'resolved' as const,
      targets: targets.slice(index * 20, (index + 1) * 20),
    }))
    for (const [index, step] of steps.entries()) {
      const rule = { id: `${prefix}-${index}`, name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } }
      this.plant.result('alertRule.put', { ...rule, severity: 'info', steps: [step] }, { companyId })
    }
  }

  /** Opens an incident of each rule of a company. */
  open(companyId: string): void {
    const subject = { type: 'machine', id: randomUUID(), name: 'Lathe' } as const
    const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
    for (const { id: ruleId, activeFrom } of this.plant.records.list('alertRule', companyId)) {
      const id = randomUUID()
      const opened = { type: 'open', id, ruleId, activeFrom, subject, detail: {}, times } as const
      const step = { type: 'step', id, step: 1, repeat: 0 } as const
      const payload = { partition: 0, fence: this.fence, changes: [opened, step] }
      this.plant.result('incident.evaluate', payload, { companyId })
    }
  }

  start(): Deliverer {
    return new Deliverer({
      ...this.ports,
      fences: () => new Map([[0, this.fence]]),
      partitions: 1,
      logger: pino({ level: 'silent' }),
    })
  }
}

/** Waits until a condition holds, then lets all promises settle: nothing more happens. */
async function settle(holds: () => boolean): Promise<void> {
  await eventually(holds)
  await turns(50)
}

/** Waits for turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

describe('order of attempts', () => {
  it('Receivers of a company that do not respond do not delay the messages of another company', async () => {
    const scene = new Scene()
    const { plant, attempts } = scene
    const { companyId: second } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    scene.addTargets(plant.companyId, 'a', 120)
    scene.addTargets(second, 'b', 1)
    scene.send = targetId =>
      targetId.startsWith('a') ? new Promise(() => undefined) : Promise.resolve({ kind: 'sent', note: null })
    const deliverer = scene.start()
    scene.open(plant.companyId)
    scene.open(second)
    deliverer.tick()
    const ofFirst = () => attempts.filter(each => each.startsWith('a'))
    await settle(() => attempts.includes('b0') && ofFirst().length >= 20)
    expect(ofFirst()).to.have.length(20)
  })

  it('A target with many messages does not delay those of other targets', async () => {
    const scene = new Scene()
    const { plant, attempts } = scene
    scene.addTargets(plant.companyId, 'a', 25)
    // Longer than a plan that yields, which it does on a busy machine.
    scene.send = async () => {
      await turns(20)
      return { kind: 'sent', note: null }
    }
    const deliverer = scene.start()
    for (let count = 0; count < 3; count++) scene.open(plant.companyId)
    deliverer.tick()
    await settle(() => attempts.length >= 75)
    expect(attempts).to.have.length(75)
    // All have had one before any has had its third one.
    expect(new Set(attempts.slice(0, 50)).size).to.equal(25)
    await deliverer.stop()
  })

  it('Many waiting notices are planned once a second, few with each change', async () => {
    for (const [count, isDelayed] of [
      [50, false],
      [150, true],
    ] as const) {
      const scene = new Scene()
      const { plant, fence, ports } = scene
      scene.addTargets(plant.companyId, 'a', 1)
      const pause = { id: 'p', subject: { machineIds: [] }, startAt: hour(-1), endAt: hour(1) }
      plant.result('alertPause.put', pause)
      for (let opened = 0; opened < count; opened++) scene.open(plant.companyId)
      const target = { companyId: plant.companyId, targetId: 'a0' }
      const waiting = { ofTarget: () => plant.records.list('incident', plant.companyId) }
      const worker = new TargetWorker(target, { partition: 0, fence, sinceMs: 0 }, { ...ports, waiting })
      await worker.run()
      worker.changed()
      expect(worker.dueMs > plant.nowMs).to.equal(isDelayed)
      expect(scene.attempts).to.deep.equal([])
    }
  })

  it('A command changes fewer incidents if they have many comments, because the log limits its outcome', async () => {
    const scene = new Scene()
    const { plant } = scene
    scene.addTargets(plant.companyId, 'a', 1)
    const deliverer = scene.start()
    for (let count = 0; count < 120; count++) scene.open(plant.companyId)
    const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const
    for (const { id } of plant.records.list('incident', plant.companyId))
      for (let count = 0; count < 10; count++) plant.result('incident.comment', { id, text: 'x'.repeat(2_000), by })
    plant.entries.length = 0
    deliverer.tick()
    const created = () => plant.entries.filter(({ command }) => command.name === 'delivery.create')
    const deliveries = () => created().flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'delivery'))
    await settle(() => deliveries().length >= 120)
    expect(deliveries()).to.have.length(120)
    const changed = created().map(({ changes }) => changes.filter(({ kind }) => kind === 'incident').length)
    expect(Math.max(...changed)).to.be.at.most(100)
    await deliverer.stop()
  })
})
