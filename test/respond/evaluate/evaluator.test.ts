import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { evaluateMachine } from '../../../respond/evaluate/evaluate-machine.ts'
import { historyOf } from '../../../respond/holds/machine-history.ts'
import { isMachineRule } from '../../../respond/evaluate/rules-of-machine.ts'
import { type EvaluatorDeps, Evaluator } from '../../../respond/evaluate/evaluator.ts'
import { maxIncidentChanges } from '../../../schema/commands/incident-commands.ts'
import type { Segment } from '../../../schema/document.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { type IncidentRecord, maxUnresolved } from '../../../schema/records/incident.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { instantText } from '../../../shared/time/instant.ts'
import { dayMs, hourMs, slotOf } from '../../../shared/time/units.ts'
import { Plant } from '../../processors/registrar/plant.ts'

type History = Awaited<ReturnType<EvaluatorDeps['readHistory']>>

const stopped: Segment = {
  cell: 0,
  start: 0,
  end: hourMs,
  status: 'INACTIVE',
  inCycle: false,
  spindle: false,
  cut: false,
  reason: null,
  shift: 0,
  run: 0,
  operators: [],
  mode: 'none',
  scheduled: true,
  nonOptional: true,
}

/** A plant with a rule on all machines, its evaluator, and the reads of histories. */
class Scene {
  readonly plant = new Plant()
  readonly reads: { readonly machines: readonly MachineRef[]; readonly fromMs: number }[] = []
  evaluator: Evaluator
  alarms: History[number]['alarms'] = []
  readonly #fences: ReadonlyMap<number, number>
  /** Called at the begin of each read of histories. */
  onRead: () => Promise<unknown> = async () => undefined
  /** Sizes of the payloads of commands, UTF-16 units. */
  readonly sizes: number[] = []
  /** Companies whose commands fail. */
  readonly failing = new Set<string>()
  /** How far the documents are complete, UTC ms; null: not known. */
  completeTo: () => number | null
  /** The segments of the current hour. */
  segments: readonly Segment[] = [stopped]
  /** Clock of the last change of a record, by id of the machine, in the audit trail. */
  recordChanges: ReadonlyMap<string, number> = new Map()

  constructor(partitionCount = 1) {
    const { plant } = this
    const claim = (partition: number) => plant.result('claim', { partition, owner: 'test' }, { companyId: null }).fence
    this.#fences = new Map(Array.from({ length: partitionCount }, (_, partition) => [partition, claim(partition)]))
    this.completeTo = () => plant.nowMs
    this.evaluator = this.createEvaluator()
  }

  /** Fence of the first partition. */
  get fence(): number {
    return this.#fences.get(0) ?? NaN
  }

  /** The evaluator of a process that takes the partitions over. */
  createEvaluator(): Evaluator {
    const { plant } = this
    return new Evaluator({
      records: plant.records,
      readHistory: async (_company, machines, fromMs) => {
        this.reads.push({ machines, fromMs })
        await this.onRead()
        const slotMs = slotOf(plant.nowMs)
        return machines.map(machineRef => ({ machineRef, slotMs, segments: this.segments, alarms: this.alarms }))
      },
      readRecordChanges: async () => this.recordChanges,
      readActivity: async () => [],
      readNewestSamples: async () => new Map(),
      readActivityAfter: async () => [],
      untilStored: async () => undefined,
      commands: {
        submit: async (name, payload, { companyId }) => {
          if (companyId !== null && this.failing.has(companyId)) throw new Error('The command failed')
          this.sizes.push(JSON.stringify(payload).length)
          return { ok: true, result: plant.result(name, payload, { companyId }) }
        },
      },
      fences: () => this.#fences,
      partitionOf: machineRef => machineRef % this.#fences.size,
      completeTo: async () => {
        const ms = this.completeTo()
        return new Map(ms === null ? [] : [...this.#fences.keys()].map(partition => [partition, ms]))
      },
      calendarOf: createCalendar,
      clock: () => plant.nowMs,
      lateMs: 600_000,
      logger: pino({ level: 'silent' }),
    })
  }

  addRule(companyId: string, condition: object = { status: ['INACTIVE'] }): void {
    const rule = { id: 'r', name: 'Stop', severity: 'warning', condition }
    this.plant.do('alertRule.put', rule, { companyId })
  }

  addMachine(companyId: string): { readonly id: string; readonly ref: MachineRef } {
    const id = crypto.randomUUID()
    this.plant.do('machine.put', { id, name: id }, { companyId })
    return { id, ref: this.plant.records.get('machine', companyId, id)?.ref ?? asMachineRef(0) }
  }

  /** Evaluates until nothing is due. */
  async settle(): Promise<void> {
    for (let ticks = 0; ticks < 4; ticks++) {
      this.plant.nowMs += 1_000
      await this.evaluator.tick()
    }
  }
}

describe('Evaluator', () => {
  it('A document of an old hour reads no history that cannot change an incident', async () => {
    const scene = new Scene()
    const { plant, evaluator, reads } = scene
    scene.addRule(plant.companyId)
    const { ref: imported } = scene.addMachine(plant.companyId)
    const others = Array.from({ length: 50 }, () => scene.addMachine(plant.companyId).ref)
    await scene.settle()
    reads.length = 0
    evaluator.written([{ machineRef: imported, changedFromMs: slotOf(plant.nowMs - 3_650 * dayMs) }])
    evaluator.written(others.map(machineRef => ({ machineRef, changedFromMs: slotOf(plant.nowMs) })))
    await scene.settle()
    const starts = (machineRef: MachineRef) =>
      reads.filter(({ machines }) => machines.includes(machineRef)).map(({ fromMs }) => fromMs)
    expect(Math.min(...starts(imported))).to.be.at.least(plant.nowMs - 9 * dayMs)
    expect(Math.min(...others.flatMap(starts))).to.be.at.least(plant.nowMs - 3 * hourMs)
  })

  it('A changed rule leads to evaluations of the machines to which it applies, or applied, only', async () => {
    const scene = new Scene()
    const { plant, evaluator, reads } = scene
    scene.addRule(plant.companyId)
    const [first, second] = [scene.addMachine(plant.companyId), scene.addMachine(plant.companyId)]
    scene.addMachine(plant.companyId)
    const putRule = (machineId: string) => {
      const subject = { machineIds: [machineId], machineGroupIds: [], connectorIds: [] }
      const condition = { status: ['ACTIVE' as const] }
      plant.result('alertRule.put', { id: 'one', name: 'One', severity: 'info', condition, subject })
    }
    putRule(first.id)
    await scene.settle()
    reads.length = 0
    putRule(second.id)
    await evaluator.tick()
    expect(reads.flatMap(({ machines }) => machines)).to.have.members([first.ref, second.ref])
  })

  it('Samples after a pause lead to no evaluation of machines whose company has no rule on silence', async () => {
    const scene = new Scene()
    const { plant, evaluator, reads } = scene
    const { companyId: second } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    const silent = { id: 's', name: 'Silent', severity: 'warning', condition: { silent: true }, forMs: 60_000 } as const
    plant.result('alertRule.put', silent)
    scene.addRule(second)
    const { ref: own } = scene.addMachine(plant.companyId)
    const { ref: other } = scene.addMachine(second)
    await scene.settle()
    await new Promise(resolve => setImmediate(resolve))
    await scene.settle()
    reads.length = 0
    for (let count = 0; count < 3; count++) {
      plant.nowMs += 90_000
      const [firstMs, lastMs] = [plant.nowMs - 1_000, plant.nowMs - 1_000]
      evaluator.seen(
        0,
        [own, other].map(machineRef => ({ machineRef, firstMs, lastMs })),
      )
      await evaluator.tick()
    }
    const read = reads.flatMap(({ machines }) => machines)
    expect(read).to.include(own)
    expect(read).to.not.include(other)
  })

  it('The failure of a company does not delay the incidents of another one', async () => {
    const scene = new Scene()
    const { plant, failing } = scene
    const { companyId: second } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    for (const companyId of [plant.companyId, second]) scene.addRule(companyId)
    const machine = scene.addMachine(plant.companyId)
    const other = scene.addMachine(second)
    failing.add(plant.companyId)
    await scene.settle()
    expect(plant.records.incidents.ofSubject(second, other.id)).to.have.length(1)
    failing.clear()
    await scene.settle()
    expect(plant.records.incidents.ofSubject(plant.companyId, machine.id)).to.have.length(1)
  })

  it('While a company fails, the limit of another one advances, and the machines of the first one lack no time', async () => {
    const scene = new Scene()
    const { plant, failing, evaluator, reads } = scene
    const { companyId: second } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    scene.addRule(plant.companyId)
    scene.addRule(second, { status: ['FAULT'] })
    const machine = scene.addMachine(plant.companyId)
    const other = scene.addMachine(second)
    const startMs = plant.nowMs + 1_000
    failing.add(plant.companyId)
    await scene.settle()
    const evaluatedTo = () => Date.parse(plant.records.alertEvaluation('state-samples/0')?.evaluatedTo ?? '')
    for (let hour = 0; hour < 6; hour++) {
      plant.nowMs += hourMs
      reads.length = 0
      evaluator.written([machine, other].map(({ ref }) => ({ machineRef: ref, changedFromMs: slotOf(plant.nowMs) })))
      await evaluator.tick()
      const ofOther = reads.filter(({ machines }) => machines.includes(other.ref))
      expect(Math.min(...ofOther.map(({ fromMs }) => fromMs))).to.be.at.least(slotOf(plant.nowMs) - 2 * hourMs)
      expect(evaluatedTo()).to.be.at.most(startMs)
    }
    failing.clear()
    plant.nowMs += 60_000
    reads.length = 0
    await scene.settle()
    expect(plant.records.incidents.ofSubject(plant.companyId, machine.id)).to.have.length(1)
    const ofMachine = reads.filter(({ machines }) => machines.includes(machine.ref))
    expect(Math.min(...ofMachine.map(({ fromMs }) => fromMs))).to.be.at.most(slotOf(startMs))
    plant.nowMs += 10_000
    await scene.settle()
    expect(evaluatedTo()).to.be.at.least(plant.nowMs - 10_000)
  })

  it('The limit is stored while nothing is due, so that the next owner finds no gap', async () => {
    const scene = new Scene()
    const { plant } = scene
    scene.addRule(plant.companyId)
    scene.segments = []
    scene.addMachine(plant.companyId)
    await scene.settle()
    const evaluation = () => plant.records.alertEvaluation('state-samples/0')
    for (let second = 0; second < 600; second += 5) {
      plant.nowMs += 5_000
      await scene.evaluator.tick()
    }
    expect(Date.parse(evaluation()?.evaluatedTo ?? '')).to.be.at.least(plant.nowMs - 10_000)
    scene.evaluator.stop()
    scene.evaluator = scene.createEvaluator()
    await scene.settle()
    expect(evaluation()?.gaps).to.deep.equal([])
  })

  it('Messages of alarms do not make a command larger than the log accepts', async () => {
    const scene = new Scene()
    const { plant } = scene
    const startMs = plant.nowMs
    scene.addRule(plant.companyId, { alarm: { nativeCodes: [], states: [], text: '' } })
    scene.alarms = Array.from({ length: 20 }, (_, code) => ({
      key: 'system',
      nativeCode: String(code),
      message: 'x'.repeat(16_384),
      level: 'FAULT',
      startMs,
      endMs: null,
    }))
    for (let count = 0; count < 300; count++) scene.addMachine(plant.companyId)
    await scene.settle()
    expect(plant.records.list('incident', plant.companyId)).to.have.length(300)
    expect(Math.max(...scene.sizes)).to.be.at.most(1_100_000)
  })

  it('A company with the maximum of unresolved incidents sends no commands for further ones', async () => {
    const scene = new Scene()
    const { plant, fence } = scene
    scene.addRule(plant.companyId)
    const { activeFrom = '' } = plant.records.get('alertRule', plant.companyId, 'r') ?? {}
    const times = { startedAt: activeFrom, openedAt: activeFrom, endedAt: null, reopened: 0 }
    for (let count = 0; count < maxUnresolved; count += maxIncidentChanges) {
      const changes = Array.from({ length: maxIncidentChanges }, () => {
        const id = crypto.randomUUID()
        const subject = { type: 'machine', id, name: 'Lathe' } as const
        return { type: 'open', id, ruleId: 'r', activeFrom, subject, detail: {}, times } as const
      })
      plant.result('incident.evaluate', { partition: 0, fence, changes })
    }
    scene.addMachine(plant.companyId)
    const before = plant.entries.length
    await scene.settle()
    const sent = plant.entries.slice(before).filter(({ command }) => command.name === 'incident.evaluate')
    expect(sent).to.have.length(0)
  })

  it('Incidents that ended before the history are not matched', async () => {
    const scene = new Scene()
    const { plant } = scene
    scene.addRule(plant.companyId)
    const { id } = scene.addMachine(plant.companyId)
    await scene.settle()
    const [opened] = plant.records.incidents.ofSubject(plant.companyId, id)
    if (!opened) throw new Error('No incident opened')
    const fromMs = slotOf(plant.nowMs) - hourMs
    let reads = 0
    const ended = (endedAt: string): IncidentRecord => ({
      ...opened,
      state: 'resolved',
      cause: 'condition',
      endedAt,
      get openedAt() {
        reads++
        return '2000-01-01T00:00:00.000Z'
      },
    })
    const evaluate = (incident: IncidentRecord) =>
      evaluateMachine({
        machine: { id, name: id },
        rules: plant.records.list('alertRule', plant.companyId).filter(isMachineRule),
        callRules: [],
        incidents: [incident],
        history: { states: [], alarms: [] },
        activity: [],
        activityFromMs: Infinity,
        lateSampleMs: Infinity,
        commissioned: { startMs: fromMs, endMs: Infinity },
        shiftIds: new Map(),
        calendar: createCalendar(defaultCompanySettings, null),
        gaps: [],
        mayOpen: true,
        fromMs,
        settledFromMs: -Infinity,
        limitMs: plant.nowMs,
        evaluatedToMs: plant.nowMs,
        lateMs: 600_000,
        clockMs: plant.nowMs,
        recordChangedMs: null,
      })
    expect(evaluate(ended(instantText(fromMs)))).to.deep.equal({
      changes: [],
      next: { limitMs: Infinity, silentMs: Infinity, silentForMs: Infinity, clockMs: Infinity },
    })
    expect(reads).to.equal(0)
    evaluate(ended(instantText(fromMs + 1)))
    expect(reads).to.be.above(0)
  })

  it('No incident opens in a partition until its documents are known to be complete', async () => {
    const scene = new Scene()
    const { plant } = scene
    scene.addRule(plant.companyId)
    const { id } = scene.addMachine(plant.companyId)
    scene.completeTo = () => null
    await scene.settle()
    expect(plant.records.incidents.ofSubject(plant.companyId, id)).to.have.length(0)
    scene.completeTo = () => plant.nowMs
    await scene.settle()
    expect(plant.records.incidents.ofSubject(plant.companyId, id)).to.have.length(1)
  })

  it('Partitions are evaluated at the same time, at most four of them', async () => {
    const scene = new Scene(9)
    const { plant } = scene
    scene.addRule(plant.companyId)
    for (let machine = 0; machine < 27; machine++) scene.addMachine(plant.companyId)
    let [reading, most] = [0, 0]
    scene.onRead = async () => {
      most = Math.max(most, ++reading)
      await sleep(1)
      reading--
    }
    await scene.settle()
    expect(most).to.equal(4)
    expect(plant.records.incidents.unresolvedCount(plant.companyId)).to.equal(27)
  })

  it('An incident opens with the notices of its first step, in one command', async () => {
    const scene = new Scene()
    const { plant } = scene
    plant.result('alertTarget.put', { id: 'shift', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
    const steps = [
      { afterMs: 0, until: 'resolved', targets: ['shift'] },
      { afterMs: 60_000, until: 'resolved', targets: ['shift'] },
    ] as const
    const condition = { status: ['INACTIVE'] } as const
    plant.result('alertRule.put', { id: 'r', name: 'Stop', severity: 'info', condition, steps })
    scene.addMachine(plant.companyId)
    await scene.settle()
    const sent = plant.entries.filter(({ command }) => command.name === 'incident.evaluate')
    expect(sent).to.have.length(1)
    const [change] = sent[0]?.changes ?? []
    if (change?.kind !== 'incident') throw new Error('No incident opened')
    expect(change.before).to.equal(null)
    expect(change.after?.notices.map(({ event, step, targetId }) => [event, step, targetId])).to.deep.equal([
      ['incident.opened', 1, 'shift'],
    ])
  })

  describe('that takes a partition over', () => {
    /** An incident that ended days ago. */
    function openEnded(scene: Scene, subject: string, endedMs: number): string {
      const { plant, fence } = scene
      const id = crypto.randomUUID()
      const [startedAt, endedAt] = [instantText(endedMs - hourMs), instantText(endedMs)]
      plant.result('incident.evaluate', {
        partition: 0,
        fence,
        changes: [
          {
            type: 'open',
            id,
            ruleId: 'r',
            activeFrom: plant.records.get('alertRule', plant.companyId, 'r')?.activeFrom ?? '',
            subject: { type: 'machine', id: subject, name: subject },
            detail: {},
            times: { startedAt, openedAt: startedAt, endedAt, reopened: 0 },
          },
        ],
      })
      return id
    }

    it('evaluates documents that were written before its first evaluation', async () => {
      const scene = new Scene()
      const { plant, evaluator, reads } = scene
      scene.addRule(plant.companyId)
      const { ref: machineRef } = scene.addMachine(plant.companyId)
      const slotMs = slotOf(plant.nowMs) - 20 * hourMs
      evaluator.written([{ machineRef, changedFromMs: slotMs }])
      await scene.settle()
      expect(Math.min(...reads.map(({ fromMs }) => fromMs))).to.be.at.most(slotMs)
    })

    it('leaves incidents that opened after the stored limit until it measured its own limit', async () => {
      const scene = new Scene()
      const { plant, evaluator } = scene
      scene.addRule(plant.companyId)
      const { id, ref: machineRef } = scene.addMachine(plant.companyId)
      scene.segments = []
      await scene.settle()
      const slotMs = slotOf(plant.nowMs)
      scene.segments = [{ ...stopped, start: plant.nowMs + 500 - slotMs }]
      evaluator.written([{ machineRef, changedFromMs: slotMs }])
      await scene.settle()
      const incident = () => plant.records.incidents.ofSubject(plant.companyId, id)[0]
      expect(incident()?.state).to.equal('open')
      const { evaluatedTo = '' } = plant.records.alertEvaluation('state-samples/0') ?? {}
      expect(evaluatedTo < (incident()?.openedAt ?? '')).to.equal(true)
      evaluator.stop()
      scene.evaluator = scene.createEvaluator()
      scene.completeTo = () => null
      await scene.settle()
      expect(incident()?.state).to.equal('open')
    })

    it('evaluates late documents that the previous owner wrote but did not evaluate', async () => {
      const scene = new Scene()
      const { plant, evaluator } = scene
      scene.addRule(plant.companyId)
      plant.nowMs += 3 * dayMs
      const { id } = scene.addMachine(plant.companyId)
      await scene.settle()
      const ended = openEnded(scene, id, plant.nowMs - 2 * dayMs)
      evaluator.stop()
      scene.evaluator = scene.createEvaluator()
      await scene.settle()
      expect(plant.records.get('incident', plant.companyId, ended)?.state).to.equal('retracted')
    })

    it('evaluates new documents before the histories of many old incidents', async () => {
      const scene = new Scene()
      const { plant, evaluator, reads } = scene
      scene.addRule(plant.companyId)
      plant.nowMs += 8 * dayMs
      const machines = Array.from({ length: 100 }, () => scene.addMachine(plant.companyId))
      await scene.settle()
      for (const { id } of machines) openEnded(scene, id, plant.nowMs - 6 * dayMs)
      evaluator.stop()
      scene.evaluator = scene.createEvaluator()
      reads.length = 0
      await scene.evaluator.tick()
      const old = reads.filter(({ fromMs }) => fromMs < plant.nowMs - dayMs)
      expect(old.flatMap(each => each.machines).length).to.be.within(1, 20)
      expect(new Set(reads.flatMap(each => each.machines)).size).to.equal(100)
    })

    it('resolves an incident by the change of a record that the previous owner did not evaluate', async () => {
      const scene = new Scene()
      const { plant, evaluator } = scene
      scene.segments = [{ ...stopped, reason: 1 }]
      plant.result('downtimeReason.put', { name: 'Tool' })
      scene.addRule(plant.companyId, { stop: { reasons: [1] } })
      const { id } = scene.addMachine(plant.companyId)
      await scene.settle()
      evaluator.stop()
      const changedMs = plant.nowMs + 500
      scene.recordChanges = new Map([[id, changedMs]])
      scene.segments = [{ ...stopped, reason: 2 }]
      scene.evaluator = scene.createEvaluator()
      await scene.settle()
      const [incident] = plant.records.incidents.ofSubject(plant.companyId, id)
      expect(incident).to.include({
        cause: 'record',
        resolvedAt: instantText(changedMs),
        endedAt: instantText(changedMs),
      })
    })
  })

  it('A span that ended before the incidents in memory opens no second incident', async () => {
    const scene = new Scene()
    const { plant } = scene
    scene.addRule(plant.companyId)
    const { id } = scene.addMachine(plant.companyId)
    const fromMs = slotOf(plant.nowMs)
    const limitMs = fromMs + 5 * 60_000
    const changesOf = (settledFromMs: number) => {
      const evaluated = evaluateMachine({
        machine: { id, name: id },
        rules: plant.records.list('alertRule', plant.companyId).filter(isMachineRule),
        callRules: [],
        incidents: [],
        history: historyOf([{ slotMs: fromMs, segments: [{ ...stopped, start: 1, end: 60_000 }], alarms: [] }]),
        activity: [],
        activityFromMs: Infinity,
        lateSampleMs: Infinity,
        commissioned: { startMs: fromMs, endMs: Infinity },
        shiftIds: new Map(),
        calendar: createCalendar(defaultCompanySettings, null),
        gaps: [],
        mayOpen: true,
        fromMs,
        settledFromMs,
        limitMs,
        evaluatedToMs: limitMs - 1,
        lateMs: 600_000,
        clockMs: limitMs,
        recordChangedMs: null,
      })
      return 'changes' in evaluated ? evaluated.changes.map(({ type }) => type) : []
    }
    expect(changesOf(-Infinity)).to.deep.equal(['open'])
    expect(changesOf(fromMs + 2 * 60_000)).to.deep.equal([])
  })
})
