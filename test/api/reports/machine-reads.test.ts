import { expect } from 'chai'
import * as fc from 'fast-check'
import { reasonCode, type HourDocument } from '../../../schema/document.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { MachineTimeline, TimelineInterval } from '../../../schema/requests/machine-timeline.ts'
import { dayMs, hourMs, minuteMs } from '../../../shared/time/units.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { aSchedule, aShift } from '../../processors/calendar/schedules.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { at, midnightMs } from './event-support.ts'
import { sample, store, TestPlant } from './plant-support.ts'

const hours = 72
const nowMs = midnightMs + hours * hourMs - 20 * minuteMs

interface Stop {
  readonly machineId: string
  readonly startMs: number
  endMs: number
  readonly reason: number
}

/** Downtime of documents, merged interval by interval in the test. */
function stopsOf(machine: MachineRecord, documents: readonly HourDocument[]): readonly Stop[] {
  const stops: Stop[] = []
  for (const { slotMs, segments } of documents)
    for (const { start, end, reason } of segments) {
      const last = stops.at(-1)
      if (reason === null || slotMs + start >= nowMs) continue
      if (last?.endMs === slotMs + start && last.reason === reason) last.endMs = slotMs + end
      else stops.push({ machineId: machine.id, startMs: slotMs + start, endMs: slotMs + end, reason })
    }
  return stops
}

const unknownId = '00000000-0000-4000-8000-000000000000'

const minute = fc.integer({ min: 0, max: hours * 60 - 1 })
const anyPlant = fc.record({
  executions: fc.array(
    fc.array(fc.tuple(minute, fc.constantFrom('ACTIVE', 'READY', 'UNAVAILABLE')), { maxLength: 25 }),
    {
      minLength: 3,
      maxLength: 3,
    },
  ),
  annotation: fc.tuple(minute, minute),
  setup: minute,
  alarms: fc.array(fc.tuple(minute, fc.constantFrom('FAULT', 'WARNING', 'NORMAL')), { maxLength: 20 }),
  range: fc.tuple(minute, fc.integer({ min: 30, max: hours * 60 })),
})
type AnyPlant = typeof anyPlant extends fc.Arbitrary<infer T> ? T : never

describe('downtime records and timelines', function () {
  const database = useFreshDatabase()

  async function made({ executions, annotation, setup, alarms, range }: AnyPlant) {
    const plant = new TestPlant()
    const companyId = plant.company.id
    plant.put('downtimeReason', { id: 7, companyId, name: 'Cleaning', color: '#00aa00', planned: true, hidden: false })
    plant.operation(1)
    plant.put('schedule', aSchedule([aShift(1, '06:00-14:00')], { companyId }))
    const all: { readonly machine: MachineRecord; readonly documents: readonly HourDocument[] }[] = []
    for (const [index, told] of executions.entries()) {
      const machine = plant.machine(index + 1, {
        commissionedAt: at(0),
        ...(index === 2 && { scheduleId: 'schedule' }),
      })
      const [from, to] = annotation.toSorted((a, b) => a - b)
      if (index === 0 && from !== undefined && to !== undefined && from < to)
        plant.put('annotation', {
          id: '5b7d8a90-4a43-4f5c-8f0a-7d5b1f9b6e02',
          companyId,
          machineId: machine.id,
          reasonId: 7,
          note: 'n',
          startAt: at(from / 60),
          endAt: at(to / 60),
        })
      if (index === 1) plant.run(1, machine, { startInSetup: true, startAt: at(setup / 60) })
      const samples = [
        ...told.map(([minutes, value]) => sample(machine, midnightMs + minutes * minuteMs, 'EXECUTION', value)),
        ...alarms.map(([minutes, value]) => sample(machine, midnightMs + minutes * minuteMs + 1, 'SYSTEM', value)),
      ].toSorted((a, b) => a.atUs - b.atUs)
      const documents = plant.documents(machine, samples, midnightMs, midnightMs + hours * hourMs)
      await store(database(), documents)
      all.push({ machine, documents })
    }
    const [firstMinute, minutes] = range
    const startMs = midnightMs + firstMinute * minuteMs
    return { plant, all, startMs, endMs: Math.min(startMs + minutes * minuteMs, nowMs) }
  }

  it('Every stop is listed once with its whole length, in either order, on pages of any size', () =>
    forAll(
      fc.asyncProperty(anyPlant, async given => {
        const { plant, all, startMs, endMs } = await made(given)
        const reports = plant.reports(database(), () => nowMs)
        if (startMs >= endMs) return reports.stop()
        const expected = all
          .flatMap(({ machine, documents }) => stopsOf(machine, documents))
          .filter(stop => Math.min(stop.endMs, endMs) > Math.max(stop.startMs, startMs))
          .map(({ machineId, startMs: began, endMs: ended, reason }) => ({
            id: `${machineId}_${began}`,
            endAt: ended > nowMs ? null : isoText(ended),
            durationMs: Math.min(ended, nowMs) - began,
            inRangeMs: Math.min(ended, endMs) - Math.max(began, startMs),
            reasonId:
              reason === reasonCode.setup
                ? 'setup'
                : reason === reasonCode.uncategorized
                  ? 'uncategorized'
                  : String(reason),
          }))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        for (const orderBy of ['start', 'duration'] as const)
          for (const direction of ['ASC', 'DESC'] as const) {
            const found: (typeof expected)[number][] = []
            const order: number[] = []
            let after: string | null = null
            do {
              const query = { start: isoText(startMs), end: isoText(endMs), orderBy, direction, limit: 3 }
              const page: Awaited<ReturnType<typeof reports.plant.downtimeRecords>> =
                await reports.plant.downtimeRecords(plant.company.id, { ...query, ...(after !== null && { after }) })
              for (const { id, endAt, durationMs, inRangeMs, reasonId, startAt } of page.records) {
                found.push({ id, endAt, durationMs, inRangeMs, reasonId })
                order.push(orderBy === 'duration' ? inRangeMs : Date.parse(startAt))
              }
              after = page.next
            } while (after !== null)
            expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).to.deep.equal(expected)
            const sorted = order.toSorted((a, b) => (direction === 'ASC' ? a - b : b - a))
            expect(order).to.deep.equal(sorted)
          }
        const keys = expected.map(({ id }) => ({ machineRef: refOf(id, all), startMs: Number(id.split('_')[1]) }))
        const again = await reports.plant.findDowntimeRecords(plant.company.id, [
          ...keys,
          ...keys.map(({ machineRef, startMs: began }) => ({ machineRef, startMs: began + 1 })),
        ])
        expect(again).to.have.length(expected.length)
        for (const { machineRef, startMs: began, endMs: ended } of again) {
          const same = expected.find(({ id }) => refOf(id, all) === machineRef && id.endsWith(`_${began}`))
          expect(same?.endAt).to.equal(ended === null ? null : isoText(ended))
        }
        const uncategorized = await reports.plant.downtimeRecords(plant.company.id, {
          start: isoText(startMs),
          end: isoText(endMs),
          reason: ['uncategorized'],
          minDurationMs: 45 * minuteMs,
        })
        expect(uncategorized.records.map(({ id }) => id)).to.have.members(
          expected
            .filter(({ reasonId, inRangeMs }) => reasonId === 'uncategorized' && inRangeMs >= 45 * minuteMs)
            .map(({ id }) => id),
        )
        for (const microstopMs of [20 * minuteMs, 60 * minuteMs]) {
          for (const { machine } of all) plant.put('machine', { ...machine, microstopMs })
          const range = { start: isoText(startMs), end: isoText(endMs) }
          const short = expected.filter(({ durationMs }) => durationMs < microstopMs)
          const shown = async (microstops: 'only' | 'exclude') =>
            (await reports.plant.downtimeRecords(plant.company.id, { ...range, microstops })).records.map(
              ({ id }) => id,
            )
          expect(await shown('only')).to.have.members(short.map(({ id }) => id))
          expect(await shown('exclude')).to.have.members(
            expected.filter(({ durationMs }) => durationMs >= microstopMs).map(({ id }) => id),
          )
          const sums = all.flatMap(({ machine }) => {
            const own = short.filter(({ id }) => id.startsWith(machine.id))
            const inRangeMs = own.reduce((sum, each) => sum + each.inRangeMs, 0)
            return own.length === 0 ? [] : [{ machineId: machine.id, microstopMs, recordCount: own.length, inRangeMs }]
          })
          expect(await reports.plant.microstops(plant.company.id, range)).to.have.deep.members(sums)
        }
        reports.stop()
      }),
      { numRuns: 7 },
    ))

  it('A timeline has every change of a short range and shares of time steps of a long one, with equal sums', () =>
    forAll(
      fc.asyncProperty(anyPlant, async given => {
        const { plant, all, startMs, endMs } = await made(given)
        const reports = plant.reports(database(), () => nowMs)
        if (startMs >= endMs) return reports.stop()
        for (const { machine, documents } of all) {
          const range = { start: isoText(startMs), end: isoText(endMs) }
          const exact = await reports.plant.timeline(machine, { ...range, points: 2000 })
          const coarse = await reports.plant.timeline(machine, { ...range, points: 10 })
          expect(exact.resolutionMs).to.equal(0)
          const segments = documents.flatMap(({ slotMs, segments: ofHour }) =>
            ofHour.map(segment => ({ ...segment, startMs: slotMs + segment.start, endMs: slotMs + segment.end })),
          )
          for (const lane of ['states', 'downtime', 'jobs'] as const) {
            const expected = new Map<string, number>()
            for (const segment of segments) {
              const ms = Math.min(segment.endMs, endMs) - Math.max(segment.startMs, startMs)
              const id = {
                states: segment.status,
                downtime: reasonIdOf(segment.reason),
                jobs: segment.run === 0 ? null : `run-1${segment.mode === 'setup' ? ':setup' : ''}`,
              }[lane]
              if (ms > 0 && id !== null) expected.set(id, (expected.get(id) ?? 0) + ms)
            }
            for (const timeline of [exact, coarse]) expect(timesOf(timeline[lane])).to.deep.equal(expected, lane)
            for (const element of exact[lane])
              expect(element.durationMs).to.equal(Date.parse(element.endAt) - Date.parse(element.startAt))
          }
          const neighbours = exact.states.flatMap((element, i) => {
            const next = exact.states[i + 1]
            return next ? [{ differ: next.id !== element.id, follow: next.startAt === element.endAt }] : []
          })
          expect(neighbours.every(({ differ, follow }) => differ && follow)).to.equal(true)
          expect(alarmsOf(exact)).to.deep.equal(alarmsOfDocuments(documents, startMs, endMs))
        }
        reports.stop()
      }),
      { numRuns: 7 },
    ))

  it('The state of a step is the status of most of its time, and whether this is in a shift, for every machine', () =>
    forAll(
      fc.asyncProperty(anyPlant, fc.integer({ min: 1, max: 60 }), async (given, points) => {
        const { plant, all, startMs } = await made(given)
        const reports = plant.reports(database(), () => nowMs)
        // The range may end in the future.
        const range = { start: isoText(startMs), end: isoText(startMs + 8 * hourMs) }
        const machineIds = [...all.map(({ machine }) => machine.id.toUpperCase()), unknownId]
        const { start, stepMs, machines } = await reports.plant.states(plant.company.id, {
          ...range,
          machineIds,
          points,
        })
        expect(start).to.equal(range.start)
        expect(stepMs).to.equal(Math.ceil((8 * hourMs) / points))
        expect(machines.map(({ machineId }) => machineId)).to.have.members(all.map(({ machine }) => machine.id))
        for (const { machine, documents } of all) {
          const { states = [] } = machines.find(({ machineId }) => machineId === machine.id) ?? {}
          const steps = states.flatMap(state => Array.from({ length: state.steps }, () => state))
          expect(steps).to.have.length(Math.ceil((8 * hourMs) / stepMs))
          for (const [step, { status, scheduled }] of steps.entries()) {
            const fromMs = startMs + step * stepMs
            const toMs = Math.min(fromMs + stepMs, startMs + 8 * hourMs)
            const times = timesIn(documents, fromMs, toMs)
            const ms = times.get(status ?? '') ?? 0
            if (times.size === 0) expect(status).to.equal(null)
            else expect(ms).to.equal(Math.max(...times.values()))
            const inShiftMs = timesIn(documents, fromMs, toMs, ({ shift }) => shift !== 0).get(status ?? '') ?? 0
            expect(scheduled).to.equal(2 * inShiftMs > ms)
          }
          for (const [i, state] of states.entries())
            if (i > 0)
              expect([state.status, state.scheduled]).not.to.deep.equal([
                states[i - 1]?.status,
                states[i - 1]?.scheduled,
              ])
        }
        reports.stop()
      }),
      { numRuns: 7 },
    ))

  it('Downtime records and timelines return no data of another company, and list the errors of a range', async () => {
    const given = {
      executions: [[[60, 'READY']], [], []] as AnyPlant['executions'],
      annotation: [0, 0],
      setup: 0,
      alarms: [],
      range: [0, 60],
    } satisfies AnyPlant
    const { plant, all } = await made({ ...given, annotation: [0, 0], range: [0, 60] })
    const other = new TestPlant()
    const reports = other.reports(database(), () => nowMs)
    const machineId = all[0]?.machine.id ?? ''
    const found = await reports.plant.downtimeRecords(other.company.id, {
      start: at(0),
      end: at(48),
      machineId: [machineId],
    })
    expect(found.records).to.deep.equal([])
    const others = await reports.plant.states(other.company.id, { machineIds: [machineId], start: at(0), end: at(8) })
    expect(others.machines).to.deep.equal([])
    reports.stop()
    const own = plant.reports(database(), () => nowMs)
    const faultsOf = (work: Promise<unknown>) =>
      work.then(
        () => [],
        (error: { readonly errors?: readonly { readonly field: string; readonly code: string }[] }) =>
          error.errors?.map(({ field, code }) => `${field} ${code}`),
      )
    const ask = (query: object) => faultsOf(own.plant.downtimeRecords(plant.company.id, query))
    expect(await ask({ start: at(2), end: at(1) })).to.deep.equal(['start InvalidRange'])
    expect(await ask({ start: isoText(nowMs - 400 * dayMs) })).to.deep.equal(['start OutOfRange'])
    expect(await ask({ after: 'x' })).to.deep.equal(['after InvalidDataItem'])
    const states = (range: object) =>
      faultsOf(own.plant.states(plant.company.id, { machineIds: [machineId], start: at(2), end: at(3), ...range }))
    expect(await states({ end: at(2) })).to.deep.equal(['start InvalidRange'])
    expect(await states({ end: at(2 + 7 * 24 + 1) })).to.deep.equal(['start OutOfRange'])
    const machine = all[0]?.machine
    if (!machine) throw new Error('There is a machine')
    expect(await faultsOf(own.plant.timeline(machine, { start: at(2), end: at(2) }))).to.deep.equal([
      'start InvalidRange',
    ])
    expect(await faultsOf(own.plant.timeline(machine, { start: '2020-01-01T00:00:00Z', end: at(2) }))).to.deep.equal([
      'start OutOfRange',
    ])
    own.stop()
  })
})

/** Time of each status between two instants, up to now, in the segments that count. */
function timesIn(
  documents: readonly HourDocument[],
  fromMs: number,
  toMs: number,
  isCounted: (segment: HourDocument['segments'][number]) => boolean = () => true,
): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { slotMs, segments } of documents)
    for (const { start, end, status } of segments.filter(isCounted)) {
      const ms = Math.min(slotMs + end, toMs, nowMs) - Math.max(slotMs + start, fromMs)
      if (ms > 0) times.set(status, (times.get(status) ?? 0) + ms)
    }
  return times
}

function refOf(id: string, all: readonly { readonly machine: MachineRecord }[]) {
  const found = all.find(({ machine }) => id.startsWith(machine.id))
  if (!found) throw new Error(id)
  return found.machine.ref
}

function reasonIdOf(reason: number | null): string | null {
  if (reason === null) return null
  if (reason === reasonCode.setup) return 'setup'
  return reason === reasonCode.uncategorized ? 'uncategorized' : String(reason)
}

function timesOf(elements: readonly TimelineInterval[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { id, durationMs } of elements) times.set(id, (times.get(id) ?? 0) + durationMs)
  return times
}

function alarmsOf({ alarms }: MachineTimeline): readonly string[] {
  return alarms.map(({ state, startAt, endAt }) => `${state} ${startAt} ${endAt}`).toSorted()
}

function alarmsOfDocuments(documents: readonly HourDocument[], startMs: number, endMs: number): readonly string[] {
  const ends = new Map<string, number>()
  for (const { slotMs, alarms } of documents) {
    if (slotMs >= endMs || slotMs + hourMs <= startMs) continue
    for (const { level, startMs: began, endMs: ended } of alarms)
      ends.set(`${level} ${isoText(began)}`, ended ?? Infinity)
  }
  return [...ends]
    .filter(([text, ended]) => ended > startMs && Date.parse(text.split(' ')[1] ?? '') < endMs)
    .map(([text, ended]) => `${text} ${ended > endMs ? null : isoText(ended)}`)
    .toSorted()
}
