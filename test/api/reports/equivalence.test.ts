import { expect } from 'chai'
import * as fc from 'fast-check'
import { reportDimensions } from '../../../schema/groupings.ts'
import { metrics } from '../../../schema/metrics.ts'
import { type HourDocument } from '../../../schema/document.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { compileMicrostopSums } from '../../../api/reports/compile/microstop-sums.ts'
import { downtimeReport } from '../../../api/reports/downtime.ts'
import type { DowntimePlan } from '../../../api/reports/plan/downtime.ts'
import { sourcesOf } from '../../../api/reports/sources/sources.ts'
import { downtimeAnswer, planOfDowntime } from './downtime-stages.ts'
import { narrow, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { repeatedHours } from '../../../clickhouse/tables/documents.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import { createDayStore } from '../../../clickhouse/documents/day-store.ts'
import { forAll } from '../../support/for-all.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { calendarOf, sample, store, TestPlant, viewOf } from './plant-support.ts'
import { allCut, answer, planOf, sourcesFor } from './stages.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const hours = 80
const zones = [
  // Half an hour from UTC; clock changes within those hours, by one hour and by half an hour.
  { timeZone: 'Asia/Kolkata', startMs: Date.parse('2026-03-02T00:00:00Z') },
  { timeZone: 'Europe/Berlin', startMs: Date.parse('2026-10-24T20:00:00Z') },
  { timeZone: 'Australia/Lord_Howe', startMs: Date.parse('2026-04-04T00:00:00Z') },
] as const
const groupNames = reportDimensions.production.groupings
const everyMetric = Object.keys(metrics).map(metric => ({ metric }))

/** Minutes from the start. */
const anyMinute = fc.integer({ min: 0, max: hours * 60 - 1 })
const execution = fc.constantFrom('ACTIVE', 'STOPPED', 'READY', 'INTERRUPTED', 'UNAVAILABLE')
const happenings = fc.record({
  executions: fc.array(fc.tuple(anyMinute, execution), { maxLength: 30 }),
  counts: fc.array(fc.tuple(anyMinute, fc.integer({ min: 0, max: 400 })), { maxLength: 20 }),
  runs: fc.uniqueArray(fc.record({ at: anyMinute, setup: fc.boolean(), operation: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 5,
    selector: ({ at }) => at,
  }),
  signIns: fc.array(
    fc.record({ at: anyMinute, minutes: fc.integer({ min: 1, max: 600 }), operator: fc.integer({ min: 1, max: 2 }) }),
    {
      maxLength: 4,
    },
  ),
  adjustments: fc.array(
    fc.record({ at: anyMinute, count: fc.integer({ min: -5, max: 5 }), scrap: fc.integer({ min: 0, max: 3 }) }),
    { maxLength: 4 },
  ),
})
type Happenings = typeof happenings extends fc.Arbitrary<infer T> ? T : never

const filters = [
  { shift: ['day'] },
  { shift: ['none', 'night'] },
  { shift: ['late'] },
  { jobOperation: ['operation-1', 'none'] },
  { jobOperation: ['operation-2'], shift: ['night'], machineGroup: ['group-1'] },
  { reason: ['uncategorized'] },
  { reason: [1, 'setup'], shift: ['day'] },
]

const randomRequest = fc.record({
  groups: fc.uniqueArray(fc.constantFrom(...groupNames), { maxLength: 3 }),
  from: fc.integer({ min: 0, max: hours * hourMs - 2 }),
  lengthMs: fc.integer({ min: 1, max: hours * hourMs }),
})

const scenes = fc.record({
  zone: fc.constantFrom(...zones),
  startOfDay: fc.constantFrom('00:00', '06:30'),
  machines: fc.array(happenings, { minLength: 2, maxLength: 2 }),
  /** Source of each shop day; `stale`: the first machine is read from hours, and the second from the day's document. */
  days: fc.array(fc.constantFrom('day', 'day', 'stale', 'hours'), { minLength: 5, maxLength: 5 }),
  /** The first request is answered from documents of days wherever a day has one. */
  requests: fc.tuple(fc.constant({ groups: [], from: 0, lengthMs: hours * hourMs }), randomRequest, randomRequest),
  downtime: fc.array(
    fc.record({
      groups: fc.shuffledSubarray([...reportDimensions.downtime.groupings], { maxLength: 3 }),
      filter: fc.constantFrom({}, {}, ...filters),
      /** Microstop limits of the machines, ms; 0: none. */
      microstopMs: fc.constantFrom([0, 0], [0, 0], [30 * minuteMs, 0], [60 * minuteMs, 7 * minuteMs]),
      from: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: hours * hourMs - 2 })),
      lengthMs: fc.oneof(fc.constant(hours * hourMs), fc.integer({ min: 1, max: hours * hourMs })),
    }),
    { minLength: 12, maxLength: 12 },
  ),
})

describe('equivalent sources of a report', () => {
  const database = useFreshDatabase()

  it('Reports from day documents, from hourly documents and from exact segments are equal', async function () {
    let fromDays = 0
    await forAll(
      fc.asyncProperty(scenes, async ({ zone, startOfDay, machines, days, requests, downtime }) => {
        const { timeZone, startMs } = zone
        const plant = aPlant(timeZone, startOfDay)
        const endMs = startMs + hours * hourMs
        const documents = machines.flatMap((happened, i) => {
          const machine = aMachine(plant, i + 1, startMs, happened)
          return plant.documents(machine, samplesOf(machine, startMs, happened), startMs, endMs)
        })
        await store(database(), documents)
        const shopDays = calendarOf(plant.company.settings, null).bucketsOf('day', startMs, endMs)
        await createDayStore(database()).buildDays(plant.company.ref, [asMachineRef(1), asMachineRef(2)], shopDays, 1n)
        const readFrom = (kind: string) => shopDays.filter((_, i) => days[i] === kind)
        for (const { groups, from, lengthMs } of requests) {
          const range = [startMs + from, Math.min(endMs, startMs + from + lengthMs)] as const
          const body = {
            start: new Date(range[0]).toISOString(),
            end: new Date(range[1]).toISOString(),
            data: everyMetric,
            groupBy: groups.map(group => ({ group })),
          }
          const plan = planOf(plant, body, endMs)
          const report = await answer(plant, body, plan, database())
          expectClose(await answer(plant, body, { ...plan, lastRun: Infinity }, database(), allCut(plan)), report)
          const covered = [...readFrom('day'), ...readFrom('stale')].sort((a, b) => a.startMs - b.startMs)
          const usable = covered.filter(day => plan.shopDays.some(each => each.startMs === day.startMs))
          const stale = readFrom('stale').map(({ startMs: atMs }) => ({ machineRef: asMachineRef(1), startMs: atMs }))
          const ofDays = sourcesFor(plan, { covered: usable, stale })
          fromDays += ofDays.days.length
          expectClose(await answer(plant, body, plan, database(), ofDays), report)
          expectSums(report.aggregate, documents, plan.range)
        }
        for (const [i, { groups, filter, microstopMs, from, lengthMs }] of downtime.entries()) {
          const range = { startMs: startMs + from, endMs: Math.min(endMs, startMs + from + lengthMs) }
          const body = { ...isoRange(range), groupBy: groups.map(group => ({ group })), filter }
          await expectSameDowntime(plant, { body, microstopMs, nowMs: endMs }, i % 2 === 0 ? shopDays : readFrom('day'))
        }
      }),
      { numRuns: 4 },
    )
    expect(fromDays).to.be.greaterThan(0)
    expect(downtimeFromDays).to.be.greaterThan(0)
  })

  it('Hours that a shop day shares with an end of the range count only with the time outside the day', async () => {
    const { timeZone, startMs } = zones[0]
    const plant = aPlant(timeZone, '00:00')
    const everyTen = Array.from({ length: hours * 6 }, (_, i) => i * 10)
    const happened: Happenings = {
      executions: everyTen.map(minute => [minute + 3, minute % 20 === 0 ? 'ACTIVE' : 'STOPPED']),
      counts: everyTen.map((minute, count) => [minute + 5, count]),
      runs: [{ at: 10, setup: false, operation: 1 }],
      signIns: [],
      adjustments: everyTen.map(at => ({ at, count: 1, scrap: 1 })),
    }
    const machine = aMachine(plant, 1, startMs, happened)
    const endMs = startMs + hours * hourMs
    const documents = plant.documents(machine, samplesOf(machine, startMs, happened), startMs, endMs)
    const own = database()
    await store(own, documents)
    // Days begin and end at 18:30 UTC.
    const body = {
      start: '2026-03-02T18:10:00Z',
      end: '2026-03-04T18:50:00Z',
      data: everyMetric,
      groupBy: [{ group: 'jobOperationRun' }],
    }
    const plan = planOf(plant, body, endMs)
    const shopDays = calendarOf(plant.company.settings, null).bucketsOf('day', plan.range.startMs, plan.range.endMs)
    await createDayStore(own).buildDays(plant.company.ref, [asMachineRef(1)], shopDays, 2n)
    const ofDays = sourcesFor(plan, { covered: plan.shopDays, stale: [] })
    expect([ofDays.days.length, ofDays.cut.length]).to.deep.equal([2, 2])
    const report = await answer(plant, body, plan, own, ofDays)
    expectSums(report.aggregate, documents, plan.range)
    expectClose(await answer(plant, body, plan, own), report)
    expectClose(await answer(plant, body, plan, own, allCut(plan)), report)
  })

  it('Equal historic hours that are stored once give the same report as their documents', async function () {
    const startMs = Date.parse('2019-10-01T00:00:00Z')
    const endMs = startMs + 1_500 * hourMs
    const plant = aPlant('Europe/Berlin', '06:30')
    const quiet: Happenings = { executions: [[90, 'ACTIVE']], counts: [], runs: [], signIns: [], adjustments: [] }
    const late: Happenings = {
      ...quiet,
      executions: [
        [90, 'ACTIVE'],
        [50_000, 'ACTIVE'],
        [50_100, 'STOPPED'],
      ],
    }
    const documents = [quiet, late].flatMap((happened, i) => {
      const machine = aMachine(plant, i + 1, startMs, happened)
      return plant.documents(machine, samplesOf(machine, startMs, happened), startMs, endMs)
    })
    const own = database()
    await own.command(sql`TRUNCATE TABLE ${identifier(repeatedHours.name)}`)
    await store(own, documents)
    const [kept] = await own.query(sql`SELECT toUInt32(sum(length(slots))) AS hours FROM repeated_hours`)
    expect(kept).to.deep.include({ hours: documents.filter(isQuiet).length })
    const shopDays = calendarOf(plant.company.settings, null).bucketsOf('day', startMs, endMs)
    await createDayStore(own).buildDays(plant.company.ref, [asMachineRef(1), asMachineRef(2)], shopDays, 9n)
    const ranges = [
      [0, 1_500 * hourMs],
      [7_777_777, 900 * hourMs + 1],
      [833 * hourMs + 5, 2 * hourMs + 77_777],
    ] as const
    for (const [i, [from, lengthMs]] of ranges.entries()) {
      const range = { startMs: startMs + from, endMs: Math.min(endMs, startMs + from + lengthMs) }
      const groups = [[], ['machine', 'shift'], ['hour']][i] ?? []
      const body = { ...isoRange(range), data: everyMetric, groupBy: groups.map(group => ({ group })) }
      const plan = planOf(plant, body, endMs)
      const report = await answer(plant, body, plan, own)
      expectSums(report.aggregate, documents, plan.range)
      expectClose(await answer(plant, body, plan, own, allCut(plan)), report)
      expectClose(await answer(plant, body, plan, own, sourcesFor(plan, { covered: plan.shopDays, stale: [] })), report)
      const downtime = { ...isoRange(range), groupBy: [{ group: 'machine' }, { group: 'reason' }] }
      await expectSameDowntime(plant, { body: downtime, microstopMs: [0, 7 * minuteMs], nowMs: endMs }, shopDays)
    }
  })

  let downtimeFromDays = 0

  /** Asserts equal results, with any days read from day documents, and with and without merged records. */
  async function expectSameDowntime(
    plant: TestPlant,
    asked: { readonly body: object; readonly microstopMs: readonly number[]; readonly nowMs: number },
    days: readonly TimeRange[],
  ) {
    const { body, microstopMs, nowMs } = asked
    const given = viewOf(plant, nowMs)
    const microstops = new Map([...microstopMs.entries()].flatMap(([i, ms]) => (ms > 0 ? [[i + 1, ms] as const] : [])))
    const inView = { ...given, microstops }
    const plan = planOfDowntime(body, inView)
    const usable = days.filter(day => plan.shopDays.some(({ startMs }) => startMs === day.startMs))
    downtimeFromDays += usable.length
    const answerOf = (other: DowntimePlan, ofDays: readonly TimeRange[] = []) =>
      downtimeAnswer(body, other, inView, database(), ofDays)
    const fromHours = await answerOf(plan)
    const what = `${JSON.stringify(body)} ${String(microstopMs)}`
    expect(await answerOf(plan, usable), what).to.deep.equal(fromHours)
    // A microstop threshold of a machine that does not exist: no downtime is dropped, but records are merged.
    const whole = { ...plan, microstops: new Map([[999, 1], ...plan.microstops]) }
    expect(await answerOf(whole, usable), what).to.deep.equal(fromHours)
    const shortOf = (ofDays: readonly TimeRange[]) => {
      const sources = sourcesOf(plan, downtimeReport.sources, { coverage: { covered: ofDays, stale: [] } })
      const shape = { machineRef: narrow, recordCount: narrow, totalMs: wide }
      return rows(database(), compileMicrostopSums(plan, sources), shape, {})
    }
    expect(await shortOf(usable), what).to.deep.equal(await shortOf([]))
  }
})

/** Whether the hour can equal other hours of the machine: it contains no sample, run or change of records. */
function isQuiet({ alarms, parts, setups, adjustments, segments }: HourDocument): boolean {
  const isEmpty = [alarms, parts, setups, adjustments].every(({ length }) => length === 0)
  return isEmpty && segments.every(({ run }) => run === 0)
}

function isoRange({ startMs, endMs }: TimeRange) {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() }
}

function aPlant(timeZone: string, startOfDay: string): TestPlant {
  const plant = new TestPlant({ timeZone, startOfDay })
  const companyId = plant.company.id
  plant.put('schedule', {
    id: 'schedule',
    companyId,
    name: 'Shifts',
    versions: [
      {
        effectiveFrom: null,
        shifts: [
          {
            id: 'day',
            ref: 1,
            name: 'Day',
            optional: false,
            start: '06:15',
            end: '14:00',
            days: [1, 2, 3, 4, 5, 6, 7],
          },
          {
            id: 'late',
            ref: 3,
            name: 'Late',
            optional: false,
            start: '14:00',
            end: '22:00',
            days: [1, 2, 3, 4, 5, 6, 7],
          },
          {
            id: 'night',
            ref: 2,
            name: 'Night',
            optional: true,
            start: '22:00',
            end: '06:00',
            days: [1, 2, 3, 4, 5, 6, 7],
          },
        ],
      },
    ],
    exceptions: [],
  })
  plant.put('downtimeReason', { id: 1, companyId, name: 'Cleaning', color: '#fff', planned: true, hidden: false })
  for (const ref of [1, 2]) {
    plant.put('operator', { id: `operator-${ref}`, ref, companyId, name: `Operator ${ref}` })
    plant.put('machineGroup', { id: `group-${ref}`, ref, companyId, name: `Group ${ref}` })
  }
  plant.operation(1, { idealPartTime: 60_000, expectedPartTime: 90_000, expectedSetupTime: 600 })
  plant.operation(2, { idealPartTime: 30_000, partCountMultiplier: 3, thresholds: { oeeWarning: 0.9 } })
  plant.operation(3, { workCenters: [workCenterOf('group-2')] })
  return plant
}

function workCenterOf(machineGroupId: string) {
  const times = { expectedSetupTime: 30, idealPartTime: 45_000, expectedPartTime: null, partCountMultiplier: 0.5 }
  return { machineId: null, machineGroupId, ...times }
}

function aMachine(
  plant: TestPlant,
  ref: number,
  startMs: number,
  { runs, signIns, adjustments }: Happenings,
): MachineRecord {
  const companyId = plant.company.id
  const iso = (minute: number) => new Date(startMs + minute * minuteMs).toISOString()
  const machine = plant.machine(ref, {
    commissionedAt: iso(7),
    scheduleId: ref === 1 ? 'schedule' : null,
    machineGroupIds: ref === 1 ? ['group-1', 'group-2'] : ['group-2'],
  })
  for (const [i, { at, setup, operation }] of runs.entries()) {
    plant.run(ref * 100 + i, machine, {
      startAt: iso(at),
      startInSetup: setup,
      jobOperationId: `operation-${operation}`,
    })
  }
  for (const [i, { at, minutes, operator }] of signIns.entries()) {
    const operatorId = `operator-${operator}`
    plant.put('operatorRun', {
      id: `o-${ref}-${i}`,
      companyId,
      machineId: machine.id,
      operatorId,
      startAt: iso(at),
      endAt: iso(at + minutes),
    })
  }
  for (const [i, { at, count, scrap }] of adjustments.entries()) {
    const told = {
      message: '',
      scrapCount: scrap,
      count,
      rejectBehavior: i % 2 === 0 ? 'scrap' : 'nonconform',
    } as const
    plant.put('partAdjustment', {
      id: `p-${ref}-${i}`,
      companyId,
      machineId: machine.id,
      adjustmentTime: iso(at),
      categoryId: null,
      ...told,
    })
  }
  plant.put('annotation', {
    id: `a-${ref}`,
    companyId,
    machineId: machine.id,
    reasonId: 1,
    startAt: iso(125),
    endAt: iso(490),
    note: '',
  })
  return machine
}

function samplesOf(machine: MachineRecord, startMs: number, { executions, counts }: Happenings) {
  return [
    ...executions.map(([minute, value]) => sample(machine, startMs + minute * minuteMs, 'EXECUTION', value)),
    ...counts.map(([minute, value]) => sample(machine, startMs + minute * minuteMs + 1, 'PART_COUNT', value)),
  ]
}

/** Asserts the times of the whole report, computed here from the documents' segments. */
function expectSums(
  aggregate: Readonly<Record<string, number | null>>,
  documents: readonly HourDocument[],
  range: { startMs: number; endMs: number },
) {
  const elements = documents.flatMap(({ slotMs, segments }) =>
    segments.map(segment => ({
      segment,
      ms: Math.max(0, Math.min(slotMs + segment.end, range.endMs) - Math.max(slotMs + segment.start, range.startMs)),
    })),
  )
  const time = (counts: (segment: HourDocument['segments'][number]) => boolean) =>
    elements.reduce((sum, { segment, ms }) => sum + (counts(segment) ? ms : 0), 0)
  expect(aggregate['allTime']).to.equal(time(() => true))
  expect(aggregate['timeInCycle']).to.equal(time(({ inCycle }) => inCycle))
  expect(aggregate['setupTime']).to.equal(time(({ mode }) => mode === 'setup'))
  expect(aggregate['scheduledTime']).to.equal(time(({ scheduled, mode }) => scheduled && mode !== 'setup'))
  expect(aggregate['unscheduledTime']).to.equal(time(({ scheduled, mode }) => !scheduled && mode !== 'setup'))
  expect(aggregate['downtime']).to.equal(time(({ scheduled, inCycle }) => scheduled && !inCycle))
  expect(aggregate['plannedDowntime']).to.equal(time(({ reason }) => reason === 1 || reason === -1))
  expect(aggregate['uncategorizedDowntime']).to.equal(time(({ reason }) => reason === 0))
}

/** Asserts equality, except for the order in which fractions were added. */
function expectClose(actual: unknown, expected: unknown, path = ''): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    expect(Math.abs(actual - expected), path).to.be.at.most(1e-9 * Math.max(1, Math.abs(expected)))
  } else if (isObject(actual) && isObject(expected)) {
    expect(Object.keys(actual), path).to.deep.equal(Object.keys(expected))
    for (const [key, value] of Object.entries(expected)) expectClose(actual[key], value, `${path}.${key}`)
  } else expect(actual, path).to.equal(expected)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
