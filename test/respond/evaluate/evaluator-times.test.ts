import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { shareCalendars } from '../../../processors/records/machine-inputs.ts'
import { Evaluator } from '../../../respond/evaluate/evaluator.ts'
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
  readonly #machines = new Map<MachineRef, Machine>()
  #fence = 0
  #evaluator: Evaluator

  constructor() {
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

  /** Replaces the known samples of a machine: documents from a minute on are written. */
  write(id: string, machine: Machine, fromMinute: number) {
    const { ref } = this.plant.records.machine(id) ?? expect.fail()
    this.#machines.set(ref, machine)
    this.#evaluator.written([{ machineRef: ref, slotMs: slotOf(toMs(fromMinute)) }])
  }

  /** Evaluates until nothing is due: each change is followed by an evaluation. */
  async evaluate() {
    for (let tick = 0; tick < 8; tick++) await this.#evaluator.tick()
  }

  /** The owner is killed, and another one takes over. */
  kill() {
    this.#evaluator.stop()
    this.#evaluator = this.#start()
  }

  incidents(companyId = this.plant.companyId): readonly IncidentRecord[] {
    return this.plant.records.list('incident', companyId)
  }

  #start(): Evaluator {
    this.#fence = this.result('claim', { partition: 0, owner: randomUUID() }, null).fence
    return new Evaluator({
      records: this.plant.records,
      readHistory: async (_, refs, fromMs, toMs) => this.#read(refs, fromMs, toMs),
      commands: {
        submit: async (name, payload, { companyId }) =>
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the client of the service does
          this.plant.do(name, payload, { companyId, atMs: this.nowMs }).outcome as Outcome<Result<typeof name>>,
      },
      fences: () => new Map([[0, this.#fence]]),
      partitionOf: () => 0,
      completeTo: async () => new Map([[0, this.nowMs - this.lagMs]]),
      readRecordChanges: async () => new Map<string, number>(),
      calendarOf: shareCalendars(createCalendar),
      clock: () => this.nowMs,
      lateMs: 7 * dayMs,
      logger: pino({ level: 'silent' }),
    })
  }

  #read(refs: readonly MachineRef[], fromMs: number, toMs: number) {
    this.reads++
    if (this.isStoreDown) throw new Error('The store is not available')
    return refs.flatMap(ref =>
      plantDocuments(this.#machines.get(ref) ?? plain)
        .filter(({ slotMs }) => slotMs + hourMs > fromMs && slotMs < toMs && slotMs <= this.nowMs)
        .map(({ slotMs, segments, alarms }) => ({ machineRef: ref, slotMs, segments, alarms })),
    )
  }
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

function expected(machine: Machine, rule: PlantRule, limit: number) {
  return naiveSpans(machine, rule, limit).map(({ started, opened, end }) => [started, opened, end])
}

const isDecidedByDocuments = ({ condition }: PlantRule) =>
  !('silent' in condition) && !('stop' in condition && condition.stop.reasons.length > 0)

const anyStep = fc.record({
  minutes: fc.integer({ min: 1, max: 700 }),
  isKilled: fc.constantFrom(false, false, true),
  isAcknowledged: fc.boolean(),
})

/** After a kill, unavailable time until the next evaluation does not count: the documents do not show it. */
const isWithoutGaps = ({ condition }: PlantRule) =>
  'alarm' in condition || ('status' in condition && !condition.status.includes('UNAVAILABLE'))

describe('Evaluator', () => {
  it('Incidents equal those of a scan, with late and shuffled samples, kills, and acts of users', () =>
    forAll(
      fc.asyncProperty(
        fc.array(fc.tuple(anyPlant, fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 9 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(anyRule.filter(isDecidedByDocuments), { minLength: 1, maxLength: 3 }),
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
          for (const { minutes, isKilled, isAcknowledged } of [
            ...steps,
            { minutes: plantMinutes, isKilled: false, isAcknowledged: false },
          ]) {
            limit = Math.min(plantMinutes - 1, limit + minutes)
            scene.nowMs = toMs(limit)
            const isLast = limit === plantMinutes - 1
            for (const { id, machine, delays } of machines) {
              const samples = machine.samples.filter(
                ({ at }, index) => at < limit && (isLast || at + (delays[index % delays.length] ?? 0) < limit),
              )
              scene.write(id, { ...machine, samples }, 0)
            }
            if (isKilled) scene.kill()
            await scene.evaluate()
            const open = scene.incidents().find(({ state }) => state === 'open')
            if (isAcknowledged && open) scene.result('incident.acknowledge', { id: open.id, by })
          }
          for (const { id, machine } of machines)
            for (const [index, rule] of rules.entries()) {
              if (hasGaps && !isWithoutGaps(rule)) continue
              const shown = { ...rule, when: { ...rule.when, shifts: [], scheduled: null }, activeFrom: 0 }
              const known = { ...machine, samples: machine.samples.filter(({ at }) => at < limit) }
              expect(timesOf(scene.incidents(), id, `r${index}`)).to.deep.equal(expected(known, shown, limit))
            }
        },
      ),
      { numRuns: 60 },
    ))

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
    await scene.evaluate()
    expect(scene.incidents()[0]?.notices).to.have.length(1)
  })
})
