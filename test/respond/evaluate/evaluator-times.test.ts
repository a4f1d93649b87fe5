import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { shareCalendars } from '../../../processors/records/machine-inputs.ts'
import { Evaluator } from '../../../respond/evaluate/evaluator.ts'
import { RecentHistories } from '../../../respond/evaluate/recent-histories.ts'
import type { CommandName, Payload, Result } from '../../../schema/commands/commands.ts'
import type { Outcome } from '../../../schema/commands/command-log.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { dayMs, hourMs, minuteMs, slotOf } from '../../../shared/time/units.ts'
import { naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantDocuments } from '../../support/alerting/plant-documents.ts'
import {
  anyPlant,
  anyRule,
  plantMinutes,
  type Plant as Machine,
  type PlantRule,
  plantStartMs,
  toMs,
} from '../../support/alerting/random-plant.ts'
import { forAll } from '../../support/for-all.ts'
import { Plant } from '../../processors/registrar/plant.ts'

const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const
const fault = { condition: { alarm: { nativeCodes: [], states: [], text: '' } }, severity: 'info' as const }
const noRun = { start: 1e6, production: 1e6, end: 1e6 }
const plain: Machine = { samples: [], annotations: [], run: noRun, staleMinutes: null, decommissioned: null }
const condition = (at: number, level: 'NORMAL' | 'FAULT') =>
  ({ at, kind: 'condition', level, code: 'a', message: 'Oil low' }) as const

/** A registrar and an evaluator with the documents of machines, whose samples arrive in any order; a moving clock. */
class Scene {
  readonly plant = new Plant()
  nowMs = plantStartMs
  /** How far the limit is behind the clock, ms. */
  lagMs = 0
  reads = 0
  isStoreDown = false
  activityReads = 0
  /** Reads of raw samples, in machines times hours. */
  readHours = 0
  readonly #machines = new Map<MachineRef, Machine>()
  readonly #documents = new Map<MachineRef, ReturnType<typeof plantDocuments>>()
  readonly #lateMs: number
  #fence = 0
  #histories: RecentHistories
  #evaluator: Evaluator

  constructor(lateMs = 7 * dayMs) {
    this.#lateMs = lateMs
    const settings = { companyName: 'P', timeZone: 'Europe/Berlin', startOfDay: '06:00', firstDayOfWeek: 1 }
    this.result('settings.put', settings)
    const shift = (id: string, start: string, end: string, days: number[]) => ({ id, name: id, start, end, days })
    const week = [1, 2, 3, 4, 5, 6, 7]
    const shifts = [
      shift('shift-1', '06:00', '14:00', week),
      { ...shift('shift-2', '14:00', '22:00', week), optional: true },
      shift('shift-3', '22:00', '02:00', [5, 6]),
    ]
    this.result('schedule.put', { id: 's', name: 'S', versions: [{ shifts }] })
    this.#histories = this.#startHistories()
    this.#evaluator = this.#start()
  }

  result<Name extends CommandName>(name: Name, payload: Payload<Name>, companyId?: string | null): Result<Name> {
    const company = companyId === undefined ? {} : { companyId }
    return this.plant.result(name, payload, { ...company, atMs: this.nowMs })
  }

  addMachine({ decommissioned }: Machine = plain, companyId?: string): string {
    const id = randomUUID()
    const commissionedAt = new Date(plantStartMs).toISOString()
    const decommissionedAt = decommissioned === null ? null : new Date(toMs(decommissioned)).toISOString()
    this.result('machine.put', { id, name: 'Mill', commissionedAt, decommissionedAt }, companyId)
    return id
  }

  /** Replaces the documents of a machine in the store. */
  store(id: string, machine: Machine) {
    const { ref } = this.plant.records.machine(id) ?? expect.fail()
    this.#documents.set(ref, plantDocuments(machine))
  }

  /** Replaces the known samples of a machine: the documents of hours from that of a minute on are written. */
  write(id: string, machine: Machine, fromMinute: number) {
    const ref = this.send(id, machine)
    this.#evaluator.written(this.#histories.written(this.#stored(ref, slotOf(toMs(fromMinute)), Infinity)))
  }

  /** Replaces the known samples of a machine; no write of a document is noted. Returns its ref. */
  send(id: string, machine: Machine): MachineRef {
    const { ref } = this.plant.records.machine(id) ?? expect.fail()
    const before = new Set(sentMs(this.#machines.get(ref) ?? plain))
    this.#machines.set(ref, machine)
    this.store(id, machine)
    const arrived = sentMs(machine).filter(ms => !before.has(ms))
    this.#evaluator.seen(
      0,
      arrived.map(ms => ({ machineRef: ref, firstMs: ms, lastMs: ms })),
    )
    return ref
  }

  /** Evaluates until nothing is due: each change is followed by an evaluation. */
  async evaluate() {
    for (let tick = 0; tick < 8; tick++) await this.#evaluator.tick()
  }

  /** The owner is killed, and another one takes over. */
  kill() {
    this.#evaluator.stop()
    this.#histories = this.#startHistories()
    this.#evaluator = this.#start()
  }

  incidents(companyId = this.plant.companyId): readonly IncidentRecord[] {
    return this.plant.records.list('incident', companyId)
  }

  #startHistories(): RecentHistories {
    return new RecentHistories({
      readHistory: async (_, refs, fromMs, toMs) => this.#read(refs, fromMs, toMs),
      fences: () => new Map([[0, this.#fence]]),
      partitionOf: () => 0,
      clock: () => this.nowMs,
    })
  }

  #start(): Evaluator {
    this.#fence = this.result('claim', { partition: 0, owner: randomUUID() }, null).fence
    return new Evaluator({
      records: this.plant.records,
      readHistory: (...of) => {
        this.reads++
        return this.#histories.read(...of)
      },
      commands: {
        submit: async (name, payload, { companyId }) =>
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the client of the service does
          this.plant.do(name, payload, { companyId, atMs: this.nowMs }).outcome as Outcome<Result<typeof name>>,
      },
      fences: () => new Map([[0, this.#fence]]),
      partitionOf: () => 0,
      completeTo: async () => new Map([[0, this.nowMs - this.lagMs]]),
      readRecordChanges: async () => new Map<string, number>(),
      readActivity: async (_, refs, fromMs, toMs) => {
        this.activityReads++
        this.readHours += (refs.length * (toMs - fromMs)) / hourMs
        return this.#activity(refs, fromMs, toMs)
      },
      readNewestSamples: async (_, refs, toMs) =>
        new Map(
          refs.flatMap(ref => {
            const newest = this.#sentBefore(ref, toMs + 1).at(-1)
            return newest === undefined ? [] : [[ref, newest] as const]
          }),
        ),
      readActivityAfter: async (_, refs, afterMs) => this.#activity(refs, afterMs + 1, Infinity),
      untilStored: async () => undefined,
      calendarOf: shareCalendars(createCalendar),
      clock: () => this.nowMs,
      lateMs: this.#lateMs,
      logger: pino({ level: 'silent' }),
    })
  }

  #activity(refs: readonly MachineRef[], fromMs: number, toMs: number) {
    return refs.flatMap(ref =>
      this.#sentBefore(ref, toMs).flatMap(ms => (ms < fromMs ? [] : [{ machineRef: ref, firstMs: ms, lastMs: ms }])),
    )
  }

  #sentBefore(ref: MachineRef, ms: number): readonly number[] {
    return sentMs(this.#machines.get(ref) ?? plain).filter(each => each < ms)
  }

  #read(refs: readonly MachineRef[], fromMs: number, toMs: number) {
    if (this.isStoreDown) throw new Error('The store is not available')
    return refs.flatMap(ref => this.#stored(ref, fromMs, toMs))
  }

  #stored(ref: MachineRef, fromMs: number, toMs: number) {
    return (this.#documents.get(ref) ?? [])
      .filter(({ slotMs }) => slotMs + hourMs > fromMs && slotMs < toMs && slotMs <= this.nowMs)
      .map(({ slotMs, segments, alarms }) => ({ machineRef: ref, slotMs, segments, alarms }))
  }
}

/** Instants of the samples of a machine without heartbeats, UTC ms, in order. */
function sentMs({ samples }: Machine): readonly number[] {
  return [...new Set(samples.filter(({ kind }) => kind !== 'heartbeat').map(({ at }) => toMs(at)))]
}

const minuteOf = (instant: string) => (Date.parse(instant) - plantStartMs) / minuteMs

function timesOf(incidents: readonly IncidentRecord[], machineId: string, ruleId: string) {
  return incidents
    .filter(
      ({ subject, state, ...each }) => subject.id === machineId && each.ruleId === ruleId && state !== 'retracted',
    )
    .map(({ startedAt, openedAt, endedAt }) => [
      minuteOf(startedAt),
      minuteOf(openedAt),
      endedAt === null ? null : minuteOf(endedAt),
    ])
    .toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
}

function expected(machine: Machine, rule: PlantRule, limit: number, gaps: readonly (readonly [number, number])[] = []) {
  return naiveSpans(machine, rule, limit, gaps).map(({ started, opened, end }) => [started, opened, end])
}

const isRepeatable = ({ condition }: PlantRule) => !('stop' in condition && condition.stop.reasons.length > 0)

const anyStep = fc.record({
  minutes: fc.integer({ min: 1, max: 700 }),
  isKilled: fc.constantFrom(false, false, true),
  isAcknowledged: fc.boolean(),
  /** Whether an evaluation precedes the note that documents were written. */
  isReadFirst: fc.boolean(),
})

/** After a kill, unavailable time until the next evaluation does not count; the naive scan knows this of silence only. */
const isWithoutGaps = ({ condition }: PlantRule) =>
  'alarm' in condition || 'silent' in condition || ('status' in condition && !condition.status.includes('UNAVAILABLE'))

describe('Evaluator', () => {
  it('Incidents equal those of a scan, with late and shuffled samples, kills, and acts of users', () =>
    forAll(
      fc.asyncProperty(
        fc.array(fc.tuple(anyPlant, fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 9 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(anyRule.filter(isRepeatable), { minLength: 1, maxLength: 3 }),
        fc.array(anyStep, { minLength: 1, maxLength: 10 }),
        async (found, rules, steps) => {
          const scene = new Scene()
          const machines = found.map(([machine, delays]) => {
            const calm = { ...machine, annotations: [], run: noRun, staleMinutes: null }
            return { id: scene.addMachine(calm), machine: calm, delays }
          })
          for (const [index, rule] of rules.entries())
            scene.result('alertRule.put', {
              id: `r${index}`,
              name: 'R',
              severity: 'info',
              condition: rule.condition,
              when: { ...rule.when, shifts: [], scheduled: null },
              forMs: rule.forMinutes * minuteMs,
              resolveAfterMs: rule.resolveAfterMinutes * minuteMs,
              quietMs: rule.quietMinutes * minuteMs,
            })
          const hasGaps = steps.some(({ isKilled }) => isKilled)
          let limit = 0
          const gaps: [number, number][] = []
          for (const { minutes, isKilled, isAcknowledged, isReadFirst } of [
            ...steps,
            { minutes: plantMinutes, isKilled: false, isAcknowledged: false, isReadFirst: false },
          ]) {
            const before = limit
            limit = Math.min(plantMinutes - 1, limit + minutes)
            const isLast = limit === plantMinutes - 1
            const known = machines.map(({ id, machine, delays }) => {
              const samples = machine.samples.filter(
                ({ at }, index) => at < limit && (isLast || at + (delays[index % delays.length] ?? 0) < limit),
              )
              return { id, machine: { ...machine, samples } }
            })
            if (isReadFirst) {
              for (const each of known) scene.store(each.id, each.machine)
              await scene.evaluate()
            }
            scene.nowMs = toMs(limit)
            for (const each of known) scene.write(each.id, each.machine, 0)
            if (isKilled) {
              scene.kill()
              if ((before > 0 || isReadFirst) && limit > before) gaps.push([before, limit])
            }
            await scene.evaluate()
            const open = scene.incidents().find(({ state }) => state === 'open')
            if (isAcknowledged && open) scene.result('incident.acknowledge', { id: open.id, by })
          }
          for (const { id, machine } of machines)
            for (const [index, rule] of rules.entries()) {
              if (hasGaps && !isWithoutGaps(rule)) continue
              const shown = { ...rule, when: { ...rule.when, shifts: [], scheduled: null }, activeFrom: 0 }
              const known = { ...machine, samples: machine.samples.filter(({ at }) => at < limit) }
              expect(timesOf(scene.incidents(), id, `r${index}`)).to.deep.equal(expected(known, shown, limit, gaps))
            }
        },
      ),
      { numRuns: 30 },
    ))

  it('The first evaluation during a backlog ends with the documents: they may end what they begin', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R', forMs: 30 * minuteMs })
    scene.nowMs = toMs(60)
    scene.lagMs = 35 * minuteMs
    scene.write(id, { ...plain, samples: [condition(20, 'FAULT')] }, 0)
    await scene.evaluate()
    expect(scene.incidents()).to.have.length(0)
    scene.lagMs = 0
    scene.write(id, { ...plain, samples: [condition(20, 'FAULT'), condition(40, 'NORMAL')] }, 0)
    await scene.evaluate()
    expect(scene.incidents()).to.have.length(0)
  })

  it('An incident opens when the clock reaches its time, without further documents', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R', forMs: 30 * minuteMs })
    scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    for (const [minute, count] of [
      [10, 0],
      [34, 0],
      [35, 0],
      [36, 1],
    ] as const) {
      scene.nowMs = toMs(minute)
      await scene.evaluate()
      expect(scene.incidents(), `at ${minute}`).to.have.length(count)
    }
    const { reads } = scene
    scene.nowMs = toMs(50)
    await scene.evaluate()
    expect(scene.reads, 'nothing is due').to.equal(reads)
  })

  it('A hold of several states begins with the first of them, although only a later one changes', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    const rule = { id: 'r', name: 'R', severity: 'info', forMs: 170 * minuteMs } as const
    scene.result('alertRule.put', { ...rule, condition: { status: ['INACTIVE', 'FAULT'] } })
    const samples = [{ at: 5, kind: 'execution', value: 'READY' } as const, condition(10, 'FAULT')]
    scene.nowMs = toMs(170)
    // The second write shows that the documents which the evaluation has read are those that were written.
    for (let write = 0; write < 2; write++) {
      scene.write(id, { ...plain, samples }, 0)
      await scene.evaluate()
    }
    scene.write(id, { ...plain, samples: [...samples, condition(50, 'NORMAL')] }, 0)
    await scene.evaluate()
    scene.nowMs = toMs(177)
    await scene.evaluate()
    expect(timesOf(scene.incidents(), id, 'r')).to.deep.equal([[5, 175, null]])
  })

  it('A rule on silence reads nothing of machines that continue to send, and opens when its time has passed', async () => {
    const scene = new Scene()
    const [sends, stops, never] = [scene.addMachine(), scene.addMachine(), scene.addMachine()]
    const samples = (minutes: number) => Array.from({ length: minutes }, (_, at) => ({ at, kind: 'load' as const }))
    scene.nowMs = toMs(10)
    for (const id of [sends, stops]) scene.write(id, { ...plain, samples: samples(10) }, 0)
    scene.write(never, { ...plain, samples: [{ at: 5, kind: 'heartbeat' }] }, 0)
    const rule = { id: 'r', name: 'R', severity: 'info', condition: { silent: true }, forMs: 15 * minuteMs } as const
    scene.result('alertRule.put', rule)
    await scene.evaluate()
    const { reads, readHours } = scene
    for (let minute = 11; minute <= 24; minute++) {
      scene.nowMs = toMs(minute)
      scene.send(sends, { ...plain, samples: samples(minute) })
      await scene.evaluate()
    }
    expect(scene.incidents()).to.have.length(0)
    expect(scene.reads, 'documents were read').to.equal(reads)
    for (let minute = 25; minute <= 40; minute++) {
      scene.nowMs = toMs(minute)
      scene.send(sends, { ...plain, samples: samples(minute) })
      await scene.evaluate()
    }
    expect(timesOf(scene.incidents(), stops, 'r')).to.deep.equal([[9, 24, null]])
    expect(scene.incidents()).to.have.length(1)
    expect(scene.readHours, 'samples were read').to.equal(readHours)
    scene.kill()
    await scene.evaluate()
    expect(scene.incidents().map(({ state }) => state)).to.deep.equal(['open'])
    scene.nowMs = toMs(45)
    scene.send(stops, { ...plain, samples: [...samples(10), { at: 44, kind: 'load' }] })
    await scene.evaluate()
    expect(timesOf(scene.incidents(), stops, 'r')).to.deep.equal([[9, 24, 44]])
  })

  it('While only the activity of a machine must be longer, its documents are not read again', async () => {
    const scene = new Scene(0)
    const id = scene.addMachine()
    scene.nowMs = toMs(600)
    // Each pause is a silence that continues the one before.
    const samples = Array.from({ length: 300 }, (_, index) => ({ at: 2 * index, kind: 'load' as const }))
    scene.write(id, { ...plain, samples }, 0)
    const silence = { condition: { silent: true }, forMs: minuteMs, quietMs: 10 * minuteMs } as const
    scene.result('alertRule.put', { id: 'r', name: 'R', severity: 'info', ...silence })
    await scene.evaluate()
    expect(scene.activityReads).to.be.above(8)
    expect(scene.reads).to.be.at.most(8)
  })

  it('Late samples split or retract an incident of silence, after a restart too', async () => {
    for (const isKilled of [false, true]) {
      const scene = new Scene()
      const [split, retracted] = [scene.addMachine(), scene.addMachine()]
      const load = (...minutes: number[]) => minutes.map(at => ({ at, kind: 'load' as const }))
      const rule = { id: 'r', name: 'R', severity: 'info', condition: { silent: true }, forMs: 10 * minuteMs } as const
      scene.result('alertRule.put', rule)
      scene.nowMs = toMs(5)
      await scene.evaluate()
      for (const id of [split, retracted]) scene.send(id, { ...plain, samples: load(4) })
      scene.nowMs = toMs(60)
      await scene.evaluate()
      for (const id of [split, retracted]) scene.send(id, { ...plain, samples: load(4, 60) })
      scene.nowMs = toMs(61)
      await scene.evaluate()
      expect(timesOf(scene.incidents(), split, 'r')).to.deep.equal([[4, 14, 60]])
      scene.send(split, { ...plain, samples: load(4, 30, 60) })
      scene.send(retracted, { ...plain, samples: load(4, 13, 22, 31, 40, 50, 60) })
      if (isKilled) scene.kill()
      scene.nowMs = toMs(62)
      await scene.evaluate()
      expect(timesOf(scene.incidents(), split, 'r')).to.deep.equal([
        [4, 14, 30],
        [30, 40, 60],
      ])
      expect(timesOf(scene.incidents(), retracted, 'r')).to.deep.equal([])
    }
  })

  it('A sample from before a restart that is dated after it ends a silence, and begins one', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    const rule = { id: 'r', name: 'R', severity: 'info', condition: { silent: true }, forMs: 10 * minuteMs } as const
    scene.result('alertRule.put', rule)
    scene.nowMs = toMs(5)
    await scene.evaluate()
    scene.send(id, { ...plain, samples: [4, 20, 40].map(at => ({ at, kind: 'load' as const })) })
    scene.kill()
    for (const minute of [5, 15, 21, 31, 41, 55]) {
      scene.nowMs = toMs(minute)
      await scene.evaluate()
    }
    expect(timesOf(scene.incidents(), id, 'r')).to.deep.equal([
      [4, 14, 20],
      [20, 30, 40],
      [40, 50, null],
    ])
  })

  it('Steps follow the clock, end with the acknowledgement, and wait during a backlog', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertTarget.put', { id: 't', name: 'T', kind: 'mail', addresses: ['t@example.com'] })
    const step = { afterMs: 0, until: 'acknowledged' as const, targets: ['t'], repeatMs: 10 * minuteMs }
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R', steps: [step] })
    scene.nowMs = toMs(7)
    scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    const at = async (minute: number) => {
      scene.nowMs = toMs(minute)
      await scene.evaluate()
      return scene.incidents()[0]?.notices.filter(({ step }) => step > 0).length
    }
    expect([await at(7), await at(16), await at(17), await at(27)]).to.deep.equal([1, 1, 2, 3])
    scene.result('incident.acknowledge', { id: scene.incidents()[0]?.id ?? '', by })
    expect([await at(37), await at(47)]).to.deep.equal([3, 3])
  })

  it('A call has the steps of its rule, and ends when its machine is decommissioned', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertTarget.put', { id: 't', name: 'T', kind: 'mail', addresses: ['t@example.com'] })
    const step = { afterMs: 5 * minuteMs, until: 'resolved' as const, targets: ['t'] }
    scene.result('alertRule.put', { id: 'r', name: 'R', severity: 'info', condition: { call: [] }, steps: [step] })
    scene.nowMs = toMs(10)
    const call = scene.result('call.open', { machineId: id, kind: 'help', note: '', by })
    await scene.evaluate()
    expect(scene.incidents()[0]?.notices).to.have.length(0)
    scene.nowMs = toMs(15)
    await scene.evaluate()
    expect(scene.incidents()[0]).to.deep.include({ state: 'open' })
    expect(scene.incidents()[0]?.notices).to.have.length(1)
    scene.result('alertRule.put', { id: 'r', name: 'R', severity: 'info', condition: { call: [] }, enabled: false })
    scene.nowMs = toMs(20)
    await scene.evaluate()
    expect(scene.incidents()[0]?.state, 'the rule is disabled').to.equal('open')
    scene.result('machine.delete', { id })
    scene.nowMs = toMs(25)
    await scene.evaluate()
    expect(scene.incidents()).to.have.length(1)
    const ended = new Date(toMs(20)).toISOString()
    expect(scene.incidents()[0]).to.include({ id: call.id, cause: 'subject', endedAt: ended, resolvedAt: ended })
  })

  it('A hold that ends with its machine ends by its subject; a rule that changes or is deleted ends its incidents', async () => {
    const scene = new Scene()
    const [left, stays] = [scene.addMachine({ ...plain, decommissioned: 20 }), scene.addMachine()]
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R' })
    scene.nowMs = toMs(10)
    const samples = [condition(5, 'FAULT')]
    scene.write(left, { ...plain, samples, decommissioned: 20 }, 0)
    scene.write(stays, { ...plain, samples }, 0)
    await scene.evaluate()
    scene.nowMs = toMs(30)
    await scene.evaluate()
    const causes = () => scene.incidents().map(({ subject, cause }) => [subject.id, cause])
    expect(causes()).to.have.deep.members([
      [left, 'subject'],
      [stays, null],
    ])
    scene.result('alertRule.delete', { id: 'r' })
    await scene.evaluate()
    expect(causes()).to.have.deep.members([
      [left, 'subject'],
      [stays, 'rule'],
    ])
  })

  it('A rule opens incidents of the machines of its company only', async () => {
    const scene = new Scene()
    const { companyId } = scene.result('company.create', { companyName: 'Other' }, null)
    const [own, other] = [scene.addMachine(), scene.addMachine(plain, companyId)]
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R' }, companyId)
    scene.nowMs = toMs(10)
    for (const id of [own, other]) scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    await scene.evaluate()
    expect(scene.incidents()).to.have.length(0)
    expect(scene.incidents(companyId).map(({ subject }) => subject.id)).to.deep.equal([other])
  })

  it('A partition whose reads fail is evaluated at growing intervals', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R' })
    scene.isStoreDown = true
    scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    const startMs = toMs(10)
    for (let ms = 0; ms <= 60_000; ms += 250) {
      scene.nowMs = startMs + ms
      await scene.evaluate()
    }
    expect(scene.reads).to.be.within(10, 20)
    scene.isStoreDown = false
    scene.nowMs += 60_000
    await scene.evaluate()
    expect(scene.incidents()).to.have.length(1)
  })

  it('While the limit is behind the clock, steps wait until it is near', async () => {
    const scene = new Scene()
    const id = scene.addMachine()
    scene.result('alertTarget.put', { id: 't', name: 'T', kind: 'mail', addresses: ['t@example.com'] })
    const step = { afterMs: 0, until: 'resolved' as const, targets: ['t'] }
    scene.result('alertRule.put', { ...fault, id: 'r', name: 'R', steps: [step] })
    scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    await scene.evaluate()
    scene.nowMs = toMs(10) + 8 * dayMs
    scene.lagMs = 8 * dayMs
    await scene.evaluate()
    expect(scene.incidents()[0]?.notices).to.deep.equal([])
    scene.lagMs = 6 * dayMs
    scene.write(id, { ...plain, samples: [condition(5, 'FAULT')] }, 0)
    await scene.evaluate()
    expect(scene.incidents()[0]?.notices).to.have.length(1)
  })
})
