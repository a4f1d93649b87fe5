import { expect } from 'chai'
import * as fc from 'fast-check'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { type AffectedHours, findAffectedHours, type IsInMemory } from '../../../processors/records/affected.ts'
import { affectedHistory } from '../../../processors/records/affected-history.ts'
import { effectiveRuns, endMsOf } from '../../../processors/records/effective-runs.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import type { RecordHistory } from '../../../processors/records/record-history.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { Plant, hour, startMs } from '../registrar/plant.ts'
import type { OperatorRunRecord } from '../../../schema/records/operator-run.ts'
import type { StartsFilter } from '../../../schema/records/timed-records.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'

const calendarOf = shareCalendars(createCalendar)

/** Runs a command; returns the affected time as [machine, from, to, kind], in hours after the start. */
function affects(plant: Plant, name: string, payload: unknown): (readonly [number, number, number | null, string])[] {
  return collect(plant, name, payload).map(({ machineRef, fromMs, toMs, what }) => [
    machineRef,
    fromMs === 0 ? -Infinity : (fromMs - startMs) / hourMs,
    toMs === null ? null : (toMs - startMs) / hourMs,
    what,
  ])
}

function collect(plant: Plant, name: string, payload: unknown): AffectedHours[] {
  const found: AffectedHours[] = []
  const stop = plant.records.onChange(change => found.push(...findAffectedHours(change, plant.records)))
  plant.do(name, payload)
  stop()
  return found
}

describe('findAffectedHours', () => {
  const always = (what: string) => [[1, -Infinity, null, what]]

  it('A changed setting of the machine state affects the whole history; names, groups and thresholds affect nothing', () => {
    const plant = new Plant()
    const id = plant.machine()
    plant.result('machineGroup.put', { id: 'g', name: 'G' })
    const put = (settings: object) => affects(plant, 'machine.put', { id, name: 'M', ...settings })
    put({})
    expect(
      put({
        name: 'N',
        make: 'Haas',
        machineGroupIds: ['g'],
        thresholds: { oeeWarning: 1 },
        microstopMs: 5,
        erpMachineId: 'x',
      }),
    ).to.deep.equal([])
    expect(put({ staleAfterMs: 60_000 })).to.deep.equal(always('state'))
    expect(put({ staleAfterMs: 60_000, cutSignal: { key: 'a', above: 1 } })).to.deep.equal(always('state'))
    expect(affects(plant, 'machine.put', { id: '00000000-0000-4000-8000-000000000000', name: 'New' })).to.deep.equal([
      [2, -Infinity, null, 'state'],
    ])
  })

  it('A change of commissioning affects the time between the old and the new limit', () => {
    const plant = new Plant()
    const id = plant.machine({ name: 'M' })
    const put = (settings: object) => affects(plant, 'machine.put', { id, name: 'M', ...settings })
    expect(put({ decommissionedAt: hour(5) })).to.deep.equal([[1, 5, null, 'calendar']])
    expect(put({ decommissionedAt: hour(9) })).to.deep.equal([[1, 5, 9, 'calendar']])
    expect(put({})).to.deep.equal([[1, 9, null, 'calendar']])
    expect(put({ commissionedAt: hour(2) })).to.deep.equal([[1, -Infinity, 2, 'calendar']])
    expect(put({ commissionedAt: hour(-2) })).to.deep.equal([[1, -2, 2, 'calendar']])
  })

  it('A changed time zone, start of day, schedule or scheduledBy affects the whole history of the machine', () => {
    const plant = new Plant()
    const id = plant.machine({ name: 'M' })
    plant.result('schedule.put', { id: 's', name: 'S' })
    expect(affects(plant, 'settings.put', { timeZone: 'Europe/Berlin' })).to.deep.equal(always('calendar'))
    expect(affects(plant, 'settings.put', { timeZone: 'Europe/Berlin', startOfDay: '06:00' })).to.deep.equal(
      always('calendar'),
    )
    const put = (settings: object) => affects(plant, 'machine.put', { id, name: 'M', ...settings })
    expect(put({ scheduleId: 's' })).to.deep.equal(always('calendar'))
    expect(put({ scheduleId: 's', scheduledBy: 'job' })).to.deep.equal(always('calendar'))
    const same = { timeZone: 'Europe/Berlin', startOfDay: '06:00' }
    expect(
      affects(plant, 'settings.put', { ...same, scheduledBy: 'job' }),
      'the machine has its own scheduledBy',
    ).to.deep.equal([])
    expect(
      affects(plant, 'settings.put', {
        ...same,
        scheduledBy: 'job',
        companyName: 'X',
        maxSampleAgeDays: 5,
        firstDayOfWeek: 7,
      }),
    ).to.deep.equal([])
  })

  it('A schedule change affects the time from one day before the first changed version or exception', () => {
    const plant = new Plant()
    plant.result('schedule.put', { id: 's', name: 'S' })
    plant.machine({ scheduleId: 's' })
    plant.machine()
    const shift = { id: 'e', name: 'Early', days: [1], start: '06:00', end: '14:00' }
    const put = (schedule: object) => affects(plant, 'schedule.put', { id: 's', name: 'S', ...schedule })
    const old = { effectiveFrom: null, shifts: [shift] }
    expect(put({ versions: [old] })).to.deep.equal(always('calendar'))
    expect(put({ versions: [{ ...old, shifts: [{ ...shift, name: 'Renamed' }] }] })).to.deep.equal([])
    const may = { effectiveFrom: '2026-03-12', shifts: [{ ...shift, start: '07:00' }] }
    expect(put({ versions: [old, may] })).to.deep.equal([[1, 9 * 24 - 8, null, 'calendar']])
    const exceptions = [{ date: '2026-03-22' }]
    expect(put({ versions: [old, may], exceptions })).to.deep.equal([[1, 19 * 24 - 8, 23 * 24 - 8, 'calendar']])
  })

  it('A change of a job run affects the time that the run or the run before it gains or loses', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const start = (id: string, at: number, more: object = {}) =>
      affects(plant, 'jobRun.start', {
        erpJobOperationRunId: id,
        erpMachineId: 'M1',
        jobName: id,
        startAt: hour(at),
        ...more,
      })
    const end = (id: string, at: number) => affects(plant, 'jobRun.end', { erpJobOperationRunId: id, endAt: hour(at) })
    expect(start('a', 0)).to.deep.equal([[1, 0, null, 'calendar']])
    expect(start('c', 20)).to.deep.equal([[1, 20, null, 'calendar']])
    expect(start('b', 10, { startInSetup: true })).to.deep.equal([[1, 10, 20, 'calendar']])
    expect(end('b', 15)).to.deep.equal([[1, 15, 20, 'calendar']])
    const production = { erpJobOperationRunId: 'b', productionAt: hour(12) }
    expect(affects(plant, 'jobRun.production', production)).to.deep.equal([[1, 12, 15, 'calendar']])
    expect(end('b', 10), 'a run that ends at its start: the previous run continues').to.deep.equal([
      [1, 10, 20, 'calendar'],
    ])
    expect(end('c', 30)).to.deep.equal([[1, 30, null, 'calendar']])
    expect(affects(plant, 'jobOperation.put', { id: 'o', jobName: 'J', idealPartTime: 5 })).to.deep.equal([])
  })

  it('Changes of sign-ins, annotations and adjustments affect their old and new time', () => {
    const plant = new Plant()
    const id = plant.machine()
    const reasonId = plant.reason()
    plant.result('operator.put', { id: 'ann', name: 'Ann' })
    expect(affects(plant, 'operatorRun.start', { machineId: id, operatorId: 'ann' })).to.deep.equal([
      [1, 0, 16, 'calendar'],
    ])
    expect(affects(plant, 'settings.put', { operatorMaxHours: 20 })).to.deep.equal([[1, 16, 20, 'calendar']])
    const run = plant.records.operatorRunsOf(id)[0]
    expect(affects(plant, 'operatorRun.end', { id: run?.id, endAt: hour(4) })).to.deep.equal([[1, 4, 20, 'calendar']])

    const annotation = { id: '00000000-0000-4000-8000-000000000000', machineId: id, reasonId, startAt: hour(0) }
    const put = (more: object) => affects(plant, 'annotation.put', { ...annotation, ...more })
    expect(put({})).to.deep.equal([[1, 0, null, 'calendar']])
    expect(put({ endAt: hour(8) })).to.deep.equal([[1, 8, null, 'calendar']])
    expect(put({ endAt: hour(8), note: 'x' })).to.deep.equal([])
    expect(put({ endAt: hour(8), reasonId: plant.reason() })).to.deep.equal([[1, 0, 8, 'calendar']])

    const instantMs = 1 / hourMs
    const adjustment = { machine_id: id, scrapcount: 1, adjustmenttime: hour(2), category_id: 1 }
    plant.result('partAdjustmentType.put', { name: 'T' })
    expect(affects(plant, 'partAdjustment.create', adjustment)).to.deep.equal([[1, 2, 2 + instantMs, 'calendar']])
    const type = { id: 1, name: 'T', reject_behavior: 'scrap' }
    expect(affects(plant, 'partAdjustmentType.put', type), 'the type was scrap before').to.deep.equal([])
    expect(affects(plant, 'partAdjustmentType.put', { ...type, reject_behavior: 'nonconform' })).to.deep.equal([
      [1, 2, 2 + instantMs, 'calendar'],
    ])
    expect(affects(plant, 'downtimeReason.put', { id: reasonId, name: 'Z', planned: true })).to.deep.equal([])
  })

  it('The affected time of random commands covers every instant at which the inputs of the machine differ', () => {
    fc.assert(
      fc.property(fc.array(anyAct(), { maxLength: 20 }), acts => {
        const plant = plantOfActs()
        for (const [name, payload] of acts) {
          const before = snapshot(inputsOf(plant))
          const more = name === 'settings.put' ? { timeZone: 'Pacific/Auckland' } : {}
          const ranges = collect(plant, name, { ...payload, ...more })
          const after = snapshot(inputsOf(plant))
          for (const [index, text] of after.entries()) {
            const atMs = startMs + index * hourMs
            if (text === before[index]) continue
            const isCovered = ranges.some(({ fromMs, toMs }) => fromMs <= atMs && (toMs === null || atMs < toMs))
            expect(isCovered, `${name} at ${hour(index)}: ${before[index]} → ${text}`).to.equal(true)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('Affected time that is read from the store covers every instant at which inputs differ, also after later changes', () =>
    forAll(
      fc.asyncProperty(
        fc.array(anyAct(), { maxLength: 20 }),
        fc.constantFrom(0, 6, 12, 30),
        fc.boolean(),
        async (acts, hours, readsLate) => {
          const plant = plantOfActs()
          const history = historyOf(plant, startMs + hours * hourMs)
          const before = snapshot(inputsOf(plant))
          const found: AffectedHours[] = []
          const reads: (() => Promise<readonly AffectedHours[]>)[] = []
          plant.records.onChange(change => {
            const isInMemory: IsInMemory = (machine, fromMs) => fromMs >= history.inMemoryFromMs(machine)
            found.push(...findAffectedHours(change, plant.records, isInMemory))
            const read = affectedHistory(change, plant.records, history)
            if (read) reads.push(read)
          })
          for (const [name, payload] of acts) {
            const more = name === 'settings.put' ? { timeZone: 'Pacific/Auckland' } : {}
            plant.do(name, { ...payload, ...more })
            if (!readsLate) for (const read of reads.splice(0)) found.push(...(await read()))
          }
          for (const read of reads) found.push(...(await read()))
          expectCovered(found, before, snapshot(inputsOf(plant)))
        },
      ),
      { numRuns: 300, shrinks: true },
    ))
})

/** Expects that the hours contain every full hour at which two snapshots differ. */
function expectCovered(hours: readonly AffectedHours[], before: readonly string[], after: readonly string[]): void {
  for (const [index, text] of after.entries()) {
    const atMs = startMs + index * hourMs
    const isCovered = hours.some(({ fromMs, toMs }) => fromMs <= atMs && (toMs === null || atMs < toMs))
    if (text !== before[index]) expect(isCovered, `${hour(index)}: ${before[index]} → ${text}`).to.equal(true)
  }
}

/** The records of a plant as if those before an instant were only in the store. */
function historyOf({ records, companyId }: Plant, inMemoryFromMs: number): RecordHistory {
  const startOf = ({ startAt }: { readonly startAt: string }) => Date.parse(startAt)
  const startsOf = (filter: StartsFilter): readonly number[] => {
    if (filter.kind === 'setupRuns')
      return records
        .runsOf(machineId)
        .filter(({ startInSetup }) => startInSetup)
        .map(startOf)
    if (filter.kind === 'longSignIns') {
      const isLong = (run: OperatorRunRecord) => endMsOf(run.endAt) - startOf(run) > filter.longerThanMs
      return records.operatorRunsOf(machineId).filter(isLong).map(startOf)
    }
    const ofType = records.adjustmentsOf(machineId).filter(({ categoryId }) => categoryId === filter.categoryId)
    return ofType.map(({ adjustmentTime }) => Date.parse(adjustmentTime))
  }
  return {
    inMemoryFromMs: () => inMemoryFromMs,
    readRecords: () => Promise.reject(new Error('Records of spans are not read')),
    readNextRunStart: (_, id, afterMs) => {
      const next = effectiveRuns(records.runsOf(id)).find(({ startMs }) => startMs > afterMs)
      return Promise.resolve(next?.startMs ?? null)
    },
    readStarts: (company, filter) => {
      const starts = company === companyId ? startsOf(filter) : []
      const [firstMs, lastMs] = [Math.min(...starts), Math.max(...starts)]
      return Promise.resolve(starts.length > 0 ? [{ machineId, firstMs, lastMs }] : [])
    },
  }
}

function plantOfActs(): Plant {
  const plant = new Plant()
  plant.result('settings.put', { timeZone: 'Pacific/Auckland' })
  plant.result('schedule.put', { id: 's', name: 'S' })
  plant.result('machine.put', { id: machineId, name: 'M', erpMachineId: 'M1', scheduleId: 's' })
  plant.result('operator.put', { id: 'ann', name: 'Ann' })
  plant.reason()
  plant.reason()
  return plant
}

function inputsOf({ records }: Plant): MachineInputs {
  const machine = records.machine(machineId)
  if (!machine) throw new Error('no machine')
  return machineInputs(records, machine, calendarOf)
}

const machineId = '00000000-0000-4000-8000-000000000001'

/** A random command, with its payload, about one machine within a day. */
function anyAct(): fc.Arbitrary<[string, object]> {
  const id = fc.constantFrom('a', 'b', 'c')
  const at = fc.integer({ min: 0, max: 24 }).map(hour)
  const end = fc.option(at)
  const uuid = fc.constantFrom(1, 2, 3).map(number => `00000000-0000-4000-9000-00000000000${number}`)
  const run = { erpMachineId: fc.constant('M1'), jobName: fc.constant('J'), startInSetup: fc.boolean(), startAt: at }
  return fc.oneof(
    fc.tuple(fc.constant('jobRun.start'), fc.record({ erpJobOperationRunId: id, ...run })),
    fc.tuple(fc.constant('jobRun.end'), fc.record({ erpJobOperationRunId: id, endAt: at })),
    fc.tuple(fc.constant('jobRun.production'), fc.record({ erpJobOperationRunId: id, productionAt: at })),
    fc.tuple(
      fc.constant('annotation.put'),
      fc.record({
        id: uuid,
        machineId: fc.constant(machineId),
        reasonId: fc.constantFrom(1, 2),
        startAt: at,
        endAt: end,
      }),
    ),
    fc.tuple(fc.constant('annotation.delete'), fc.record({ id: uuid })),
    fc.tuple(
      fc.constant('operatorRun.start'),
      fc.record({ machineId: fc.constant(machineId), operatorId: fc.constant('ann'), startAt: at }),
    ),
    fc.tuple(fc.constant('settings.put'), fc.record({ operatorMaxHours: fc.integer({ min: 1, max: 30 }) })),
    fc.tuple(
      fc.constant('schedule.put'),
      fc.record({
        id: fc.constant('s'),
        name: fc.constant('S'),
        versions: fc.uniqueArray(
          fc.record({
            effectiveFrom: fc.constantFrom(null, '2026-03-01', '2026-03-02', '2026-03-03'),
            shifts: fc.constantFrom([], [{ id: 'n', name: 'N', days: [1, 2, 3, 7], start: '20:00', end: '18:00' }]),
          }),
          { selector: ({ effectiveFrom }) => effectiveFrom, maxLength: 3 },
        ),
        exceptions: fc.constantFrom([], [{ date: '2026-03-02', shifts: [] }]),
      }),
    ),
  )
}

/** Returns the runs, shifts, operators and annotations of every full hour of two days, as strings. */
function snapshot(inputs: MachineInputs): string[] {
  return Array.from({ length: 48 }, (_, index) => {
    const atMs = startMs + index * hourMs
    const here = <T extends { readonly startMs: number; readonly endMs: number }>(spans: readonly T[]): T[] =>
      spans.filter(span => span.startMs <= atMs && atMs < span.endMs)
    const run = here(inputs.runs).map(({ run, startInSetup, productionMs }) => [
      run,
      startInSetup && !(productionMs !== null && productionMs <= atMs),
    ])
    const calendar = inputs.calendar(atMs, atMs + 1).map(({ shift, nonOptional }) => [shift, nonOptional])
    const operators = new Set(here(inputs.operators).map(({ operator }) => operator))
    return JSON.stringify([run, calendar, [...operators], here(inputs.annotations).map(({ reason }) => reason)])
  })
}
