import { expect } from 'chai'
import { compileMicrostopSums } from '../../../api/reports/compile/microstop-sums.ts'
import { downtimeReport } from '../../../api/reports/downtime.ts'
import { sourcesOf } from '../../../api/reports/sources/sources.ts'
import { narrow, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import type { DowntimePlan } from '../../../api/reports/plan/downtime.ts'
import { createDayStore } from '../../../clickhouse/documents/day-store.ts'
import { render } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { sample, store, TestPlant, viewOf } from './plant-support.ts'
import { askFor, at, explain, groupBy, midnightMs, outline } from './event-support.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { compileDowntime, downtimeAnswer, planOfDowntime } from './downtime-stages.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const nowMs = midnightMs + 72 * hourMs

describe('downtime reports', () => {
  const database = useFreshDatabase()

  /** A machine in cycle except during the stops: [start, end] in hours after midnight. */
  async function stopped(
    stops: readonly (readonly [number, number])[],
    fields: Partial<MachineRecord> = {},
    prepare: (plant: TestPlant, machine: MachineRecord) => void = () => {},
    plant = new TestPlant(),
  ): Promise<TestPlant> {
    const machine = plant.machine(1, { commissionedAt: at(0), ...fields })
    prepare(plant, machine)
    const samples = [
      sample(machine, midnightMs, 'EXECUTION', 'ACTIVE'),
      ...stops.flatMap(([start, end]) => [
        sample(machine, midnightMs + start * hourMs, 'EXECUTION', 'READY'),
        sample(machine, midnightMs + end * hourMs, 'EXECUTION', 'ACTIVE'),
      ]),
    ]
    await store(database(), plant.documents(machine, samples, midnightMs, nowMs))
    return plant
  }

  const ask = (plant: TestPlant, body: object = {}, atMs = nowMs) =>
    askFor('downtime', { plant, store: database(), nowMs: atMs }, body)

  it('A downtime record counts once across hours, days and the ends of the range', async () => {
    const plant = await stopped([[1, 1.5], [22.5, 26], [46, 50]]) // prettier-ignore
    const whole = await ask(plant)
    expect(whole).to.deep.equal({
      range: { start: at(0), end: at(48) },
      aggregate: { downtimeMs: 6 * hourMs, recordCount: 3 },
      entities: {},
      items: [],
    })
    const byDay = await ask(plant, groupBy('day'))
    expect(byDay.aggregate).to.deep.equal(whole.aggregate)
    expect(outline(byDay.items)).to.deep.equal([
      ['0', 2 * hourMs, 2],
      ['1', 4 * hourMs, 2],
    ])
    const moment = await ask(plant, { start: at(23), end: at(23 + 1 / hourMs) })
    expect(moment.aggregate).to.deep.equal({ downtimeMs: 1, recordCount: 1 })
    const cut = await ask(plant, { start: at(23.25), end: at(23.5) })
    expect(cut.aggregate).to.deep.equal({ downtimeMs: hourMs / 4, recordCount: 1 })
  })

  it('A downtime record counts if its whole length, not only that in the range, reaches the microstop threshold', async () => {
    const stops = [[1, 1.25], [5.75, 6.25], [22.9, 23.4]] as const // prettier-ignore
    const plant = await stopped(stops, { microstopMs: 30 * minuteMs })
    const long = { downtimeMs: 1.25 * hourMs, recordCount: 2 }
    expect((await ask(plant)).aggregate).to.deep.equal(long)
    const tail = await ask(plant, { start: at(6), end: at(7) })
    expect(tail.aggregate).to.deep.equal({ downtimeMs: hourMs / 4, recordCount: 1 })
    const head = await ask(plant, { start: at(22), end: at(23) })
    expect(head.aggregate['recordCount'], 'known only from the hour after the range').to.equal(1)
    const short = await ask(plant, { start: at(1), end: at(2), ...groupBy('machine') })
    expect(outline(short.items)).to.deep.equal([['00000000-0000-4000-8000-000000000001', hourMs / 4, 0]])
  })

  it('An ongoing downtime record counts with its length up to now', async () => {
    const plant = await stopped([[20.8, 30]], { microstopMs: 30 * minuteMs })
    const day = { start: at(0), end: at(24) }
    const countAt = async (hours: number) => (await ask(plant, day, midnightMs + hours * hourMs)).aggregate
    expect(await countAt(21.2)).to.deep.equal({ downtimeMs: 0.4 * hourMs, recordCount: 0 })
    expect(await countAt(21.3)).to.deep.equal({ downtimeMs: hourMs / 2, recordCount: 1 })
  })

  it('In a downtime report, setup and uncategorized are groups in addition to the reasons', async () => {
    const plant = await stopped([[0, 12]], {}, (own, machine) => {
      const companyId = own.company.id
      own.put('downtimeReason', { id: 7, companyId, name: 'Cleaning', color: '#0a0', planned: true, hidden: false })
      const annotation = { companyId, machineId: machine.id, reasonId: 7, note: '' }
      own.put('annotation', { ...annotation, id: 'a', startAt: at(4), endAt: at(7) })
      own.operation(1)
      own.run(1, machine, { startInSetup: true, startAt: at(6), endAt: at(9) })
    })
    const byReason = await ask(plant, groupBy('reason'))
    expect(outline(byReason.items)).to.deep.equal([
      ['7', 3 * hourMs, 1],
      ['setup', 2 * hourMs, 1],
      ['uncategorized', 7 * hourMs, 2],
    ])
    expect(byReason.entities).to.deep.equal({
      reason: {
        '7': { id: 7, name: 'Cleaning', color: '#0a0' },
        setup: { id: 'setup', name: 'Setup', virtual: true },
        uncategorized: { id: 'uncategorized', name: 'Uncategorized', virtual: true },
      },
    })
    const flat = await ask(plant, { ...groupBy('reason'), flatten: true, filter: { reason: ['setup', 7, '07', 'x'] } })
    expect(flat.items).to.deep.equal([
      { reason: 'Cleaning', reasonId: '7', reasonColor: '#0a0', downtimeMs: 3 * hourMs, recordCount: 1 },
      { reason: 'Setup', reasonId: 'setup', reasonColor: null, downtimeMs: 2 * hourMs, recordCount: 1 },
    ])
    expect((await ask(plant, { filter: { reason: ['07'] } })).aggregate['recordCount']).to.equal(0)
    const byJob = await ask(plant, groupBy('reason', 'jobOperation'))
    expect(outline(byJob.items)[0]).to.deep.equal([
      '7', 3 * hourMs, 1, [['operation-1', hourMs, 1], ['none', 2 * hourMs, 1]],
    ]) // prettier-ignore
  })

  it('Filters by shift and job clip the time of a downtime record, and its whole length decides whether it counts', async () => {
    const fields = { scheduleId: 'schedule', microstopMs: 2 * hourMs }
    const plant = await stopped([[5, 7.5], [13.5, 14.5]], fields, (own, machine) => {
      const companyId = own.company.id
      const times = { optional: false, days: [1, 2, 3, 4, 5, 6, 7] }
      const early = { ...times, id: 'early', ref: 1, name: 'Early', start: '06:00', end: '14:00' }
      const late = { ...times, id: 'late', ref: 2, name: 'Late', start: '14:00', end: '06:00' }
      const versions = [{ effectiveFrom: null, shifts: [early, late] }]
      own.put('schedule', { id: 'schedule', companyId, name: 'Shifts', versions, exceptions: [] })
      own.operation(1)
      own.run(1, machine, { startAt: at(7), endAt: at(14) })
    }) // prettier-ignore
    const sumsOf = async (filter: object) => Object.values((await ask(plant, { filter })).aggregate)
    expect(await sumsOf({})).to.deep.equal([3.5 * hourMs, 1])
    expect(await sumsOf({ shift: ['late'] })).to.deep.equal([1.5 * hourMs, 1])
    expect(await sumsOf({ shift: ['early'] })).to.deep.equal([2 * hourMs, 1])
    expect(await sumsOf({ jobOperation: ['operation-1'] })).to.deep.equal([hourMs, 1])
    expect(await sumsOf({ jobOperation: ['none'], shift: ['early'] })).to.deep.equal([hourMs, 1])
    expect(outline((await ask(plant, groupBy('shift', 'jobOperation'))).items)).to.deep.equal([
      ['early', 2 * hourMs, 1, [['operation-1', hourMs, 1], ['none', hourMs, 1]]],
      ['late', 1.5 * hourMs, 1, [['none', 1.5 * hourMs, 1]]],
    ]) // prettier-ignore
  })

  it('A document that is written during a downtime report counts once', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(1, { commissionedAt: at(0) })
    const samples = [sample(machine, midnightMs, 'EXECUTION', 'READY')]
    const documents = plant.documents(machine, samples, midnightMs, midnightMs + 6 * hourMs)
    await store(database(), documents.slice(0, 4))
    const late: Store = {
      ...database(),
      numbers: async (query, names, options) => {
        if (render(query).query.includes('downtime_record_start_ms')) await store(database(), documents)
        return database().numbers(query, names, options)
      },
    }
    for (const groups of [[], ['day']]) {
      const given = { plant, store: late, nowMs: midnightMs + 5.5 * hourMs }
      const { aggregate } = await askFor('downtime', given, groupBy(...groups))
      expect(aggregate).to.deep.equal({ downtimeMs: 5.5 * hourMs, recordCount: 1 })
    }
  })

  it('A downtime report continues the last downtime if newer documents are missing', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(1, { commissionedAt: at(0), microstopMs: 10 * minuteMs })
    const samples = [
      sample(machine, midnightMs, 'EXECUTION', 'ACTIVE'),
      sample(machine, midnightMs + 3.9 * hourMs, 'EXECUTION', 'READY'),
    ]
    await store(database(), plant.documents(machine, samples, midnightMs, midnightMs + 4 * hourMs))
    const atMs = midnightMs + 5.5 * hourMs
    expect((await ask(plant, {}, atMs)).aggregate).to.deep.equal({ downtimeMs: 1.6 * hourMs, recordCount: 1 })
    const before = { start: at(0), end: at(4) }
    expect((await ask(plant, before, midnightMs + 4.1 * hourMs)).aggregate['recordCount']).to.equal(1)
  })

  it('A downtime report of the future or of unknown ids is empty', async () => {
    const plant = await stopped([[1, 2]])
    const nothing = { downtimeMs: 0, recordCount: 0 }
    const future = await ask(plant, { start: at(100), end: at(200), ...groupBy('day') })
    expect(future).to.deep.include({ aggregate: nothing, items: [], range: { start: at(72), end: at(72) } })
    for (const name of reportDimensions.downtime.filters) {
      const { aggregate, items } = await ask(plant, { filter: { [name]: ['nobody'] }, ...groupBy('machine') })
      expect({ aggregate, items }, name).to.deep.equal({ aggregate: nothing, items: [] })
    }
  })

  it('A downtime report has the same result from merged records and from single elements', async () => {
    const plant = await stopped([[1, 1.5], [22.5, 26], [46, 50]], { machineGroupIds: ['hall'] }) // prettier-ignore
    const given = viewOf(plant, nowMs)
    const groupings = [[], ['machine'], ['machineGroup'], ['reason'], ['machineGroup', 'reason', 'machine']]
    for (const groups of groupings) {
      for (const [from, to] of [
        [0, 48],
        [22.75, 25.1],
        [23.9, 47],
        [10, 11],
      ] as const) {
        const body = { start: at(from), end: at(to), ...groupBy(...groups) }
        const plan = planOfDowntime(body, given)
        // A microstop threshold of a machine that does not exist: no downtime is dropped, but records are merged.
        const whole: DowntimePlan = { ...plan, microstops: new Map([[999, 1]]) }
        const [single, together] = await Promise.all(
          [plan, whole].map(each => downtimeAnswer(body, each, given, database())),
        )
        expect(together, JSON.stringify(body)).to.deep.equal(single)
      }
    }
  })

  it('Pages of the longest stops are complete if the end of the range has as many stops as a page', async () => {
    const plant = await stopped([[1, 3], [45.25, 45.75], [46, 46.25], [47, 47.25]]) // prettier-ignore
    const reports = plant.reports(database(), () => nowMs)
    const query = { start: at(0), end: at(48), orderBy: 'duration', direction: 'DESC', limit: 2 } as const
    const first = await reports.plant.downtimeRecords(plant.company.id, query)
    const second = await reports.plant.downtimeRecords(plant.company.id, { ...query, after: first.next ?? '' })
    reports.stop()
    const starts = [first, second].map(page => page.records.map(({ startAt }) => startAt))
    expect(starts).to.deep.equal([
      [at(1), at(45.25)],
      [at(47), at(46)],
    ])
  })

  it('Short stops have the same number and time from day documents as from hours', async () => {
    const stops = [[1, 1.25], [2, 2.75], [5.875, 6.125], [23.875, 24.125], [47, 47.25]] as const // prettier-ignore
    await expectShortStops(await stopped(stops, { microstopMs: 30 * minuteMs }), [4, hourMs])
  })

  it('Short stops of an hour that two shop days share count once from day documents', async () => {
    const stops = [[6.25, 6.375], [6.625, 6.75], [6.875, 7.125], [7.5, 9], [30.25, 30.4375], [30.75, 31], [31.5, 32]] as const // prettier-ignore
    const plant = new TestPlant({ startOfDay: '06:30' })
    await expectShortStops(await stopped(stops, { microstopMs: 30 * minuteMs }, undefined, plant), [5, 0.9375 * hourMs])
  })

  /** Asserts number and time of the short stops of two days, from hours, from one day document and hours, and from all day documents. */
  async function expectShortStops(plant: TestPlant, [recordCount, totalMs]: readonly [number, number]): Promise<void> {
    const view = viewOf(plant, nowMs)
    const plan = planOfDowntime({ start: at(0), end: at(48), groupBy: [{ group: 'machine' }] }, view)
    const shopDays = plan.shopDays.map((day, i) => ({ ...day, shopDate: at(24 * i).slice(0, 10) }))
    await createDayStore(database()).buildDays(plant.company.ref, [asMachineRef(1)], shopDays, 1n)
    for (const covered of [[], plan.shopDays.slice(0, 1), plan.shopDays]) {
      const sources = sourcesOf(plan, downtimeReport.sources, { coverage: { covered, stale: [] } })
      expect(sources.days).to.have.length(covered.length)
      const shape = { machineRef: narrow, recordCount: narrow, totalMs: wide }
      expect(await rows(database(), compileMicrostopSums(plan, sources), shape, {})).to.deep.equal([
        { machineRef: 1, recordCount, totalMs },
      ])
    }
  }

  it('A downtime report reads whole days from their day documents if these are valid', async () => {
    const plant = await stopped([[1, 1.5], [22.5, 26], [46, 50]], { microstopMs: minuteMs }) // prettier-ignore
    const days = createDayStore(database())
    const companyRef = plant.company.ref
    const shopDays = [0, 24].map(hours => ({
      startMs: midnightMs + hours * hourMs,
      endMs: midnightMs + (hours + 24) * hourMs,
      shopDate: at(hours).slice(0, 10),
    }))
    const tables = new Set<string>()
    const watched: Store = {
      ...database(),
      numbers: (query, names, options) => {
        for (const [, table = ''] of render(query).query.matchAll(/FROM (days|hours)/g)) tables.add(table)
        return database().numbers(query, names, options)
      },
    }
    const readFrom = async () => {
      tables.clear()
      const { items } = await askFor('downtime', { plant, store: watched, nowMs }, groupBy('day'))
      expect(outline(items)).to.deep.equal([
        ['0', 2 * hourMs, 2],
        ['1', 4 * hourMs, 2],
      ])
      return [...tables].sort()
    }
    expect(await readFrom()).to.deep.equal(['hours'])
    const ownership = { companyRef, partition: 0, partitions: 1, covered: true, firstMs: 0, epoch: 1n, version: 1n }
    const coverage = [{ startMs: 0, endMs: 0 }, ...shopDays].map(({ startMs, endMs }) =>
      Object.assign({ startMs, endMs }, ownership),
    )
    await days.buildDays(companyRef, [asMachineRef(1)], shopDays, 1n)
    await days.writeCoverage(coverage)
    // Hours beyond the range are read for the length of records.
    expect(await readFrom()).to.deep.equal(['days', 'hours'])
    const marks = shopDays.map(({ startMs, endMs }) => ({
      companyRef,
      machineRef: asMachineRef(1),
      startMs,
      endMs,
      stale: true,
    }))
    await days.writeStaleDays(marks.map(mark => Object.assign({ version: 1n }, mark)))
    expect(await readFrom(), 'stale days').to.deep.equal(['hours'])
  })

  it('Every grouping and filter of downtime reports compiles to SQL that ClickHouse accepts, with the company at every table', async () => {
    const plant = await stopped([], { microstopMs: 1 })
    const given = viewOf(plant, nowMs)
    const filter = Object.fromEntries(reportDimensions.downtime.filters.map(name => [name, ['x']]))
    for (const group of reportDimensions.downtime.groupings) {
      for (const filters of [{}, { filter }]) {
        const body = { start: at(0), end: at(48), ...groupBy(group), ...filters }
        const plan = planOfDowntime(body, given)
        expect(await explain(database(), compileDowntime(plan).sql, plan.companyRef), group).not.to.be.empty
      }
    }
  })
})
