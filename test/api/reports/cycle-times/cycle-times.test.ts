import { expect } from 'chai'
import * as fc from 'fast-check'
import { binWidthsMs } from '../../../../api/reports/cycle-times/compile.ts'
import type { CycleTimesResponse } from '../../../../schema/requests/cycle-times.ts'
import { dayMs, hourMs, minuteMs } from '../../../../shared/time/units.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { forAll } from '../../../support/for-all.ts'
import { at, midnightMs } from '../event-support.ts'
import { sample, store, TestPlant } from '../plant-support.ts'

const hours = 9
const nowMs = midnightMs + (hours - 0.5) * hourMs
const idealPartTime = 4 * minuteMs

/** Values of EXECUTION by second since midnight. */
type Values = readonly (readonly [second: number, value: string])[]

/** A job run of the operation with this number; in setup until a second, if any. */
interface DrawnRun {
  readonly operation: 1 | 2
  readonly from: number
  readonly until: number
  readonly setUpUntil: number | null
}

/** Length of a cycle and the standard of its run, ms. */
interface NaiveCycle {
  readonly lengthMs: number
  readonly standardMs: number
}

const second = fc.integer({ min: 0, max: hours * 3_600 - 1 })
const values = fc
  .uniqueArray(fc.tuple(second, fc.constantFrom('ACTIVE', 'READY', 'ACTIVE', 'INTERRUPTED', 'UNAVAILABLE')), {
    selector: ([atSecond]) => atSecond,
    maxLength: 60,
  })
  .map(drawn => drawn.toSorted(([a], [b]) => a - b))
/** Runs one after the other, with gaps. */
const runs = fc
  .tuple(
    fc.uniqueArray(second, { minLength: 6, maxLength: 6 }),
    fc.array(fc.record({ operation: fc.constantFrom<1 | 2>(1, 1, 2), isSetUp: fc.boolean() }), {
      minLength: 3,
      maxLength: 3,
    }),
  )
  .map(([drawn, kinds]) => {
    const bounds = drawn.toSorted((a, b) => a - b)
    return kinds.map(({ operation, isSetUp }, index): DrawnRun => {
      const [from, until] = [bounds[2 * index] ?? 0, bounds[2 * index + 1] ?? 0]
      return { operation, from, until, setUpUntil: isSetUp ? Math.floor((from + until) / 2) : null }
    })
  })

const anyPlant = fc.record({
  machines: fc.array(fc.record({ values, runs }), { minLength: 2, maxLength: 2 }),
  range: fc.uniqueArray(second, { minLength: 2, maxLength: 2 }).map(bounds => bounds.toSorted((a, b) => a - b)),
  isFiltered: fc.boolean(),
})

/** The work center of a machine that makes two parts in a cycle. */
function twoParts(machineId: string) {
  const unset = { machineGroupId: null, expectedPartTime: null, idealPartTime: null, expectedSetupTime: null }
  return { ...unset, machineId, partCountMultiplier: 2 }
}

function iso(atSecond: number): string {
  return new Date(midnightMs + atSecond * 1_000).toISOString()
}

/** Tries every pair of values: the first begins a cycle, and the second ends it. */
function naiveCycles(told: Values, ofMachine: readonly DrawnRun[], range: readonly number[], standardMs: number) {
  const found: NaiveCycle[] = []
  const isStop = (value: string | undefined) => value === 'READY' || value === 'INTERRUPTED'
  for (const [first, [begin, value]] of told.entries()) {
    if (value !== 'ACTIVE' || !isStop(told[first - 1]?.[1])) continue
    const last = told.findIndex(([, each], index) => index > first && each !== 'ACTIVE')
    const [end, after] = told[last] ?? ([Infinity, 'none'] as const)
    if (!isStop(after)) continue
    const run = ofMachine.find(({ from, until }) => from <= begin && end <= until)
    if (run?.operation !== 1 || begin < (run.setUpUntil ?? 0)) continue
    if (begin < (range[0] ?? 0) || end > (range[1] ?? 0) || midnightMs + end * 1_000 > nowMs) continue
    found.push({ lengthMs: (end - begin) * 1_000, standardMs })
  }
  return found
}

/** The least length that at least this share of the cycles does not exceed; null: there are no cycles. */
function naivePercentile(cycles: readonly NaiveCycle[], percent: number): number | null {
  const lengths = cycles.map(({ lengthMs }) => lengthMs).toSorted((a, b) => a - b)
  const reaches = (ms: number) => lengths.filter(each => each <= ms).length * 100 >= percent * lengths.length
  return lengths.find(reaches) ?? null
}

function expectBins(
  { bins, shorterCount, longerCount, ...others }: CycleTimesResponse,
  cycles: readonly NaiveCycle[],
): void {
  const countWhere = (is: (ms: number) => boolean) => cycles.filter(({ lengthMs }) => is(lengthMs)).length
  const [first, last] = [bins.at(0), bins.at(-1)]
  if (!first || !last) {
    expect([cycles.length, shorterCount, longerCount]).to.deep.equal([0, 0, 0])
    return
  }
  expect(bins.length).to.be.at.most(21)
  const widthMs = first.toMs - first.fromMs
  expect(binWidthsMs).to.include(widthMs)
  for (const [index, bin] of bins.entries()) {
    const fromMs = first.fromMs + index * widthMs
    const cycleCount = countWhere(ms => ms >= fromMs && ms < fromMs + widthMs)
    expect(bin).to.deep.equal({ fromMs, toMs: fromMs + widthMs, cycleCount })
  }
  expect(shorterCount).to.equal(countWhere(ms => ms < first.fromMs))
  expect(longerCount).to.equal(countWhere(ms => ms >= last.toMs))
  const { p10Ms, medianMs, p90Ms, standardMs } = others
  const isNear = Math.abs((standardMs ?? 0) - (medianMs ?? 0)) <= (medianMs ?? 0) / 2
  for (const ms of [p10Ms, medianMs, p90Ms, ...(isNear ? [standardMs] : [])])
    expect(ms).to.be.within(first.fromMs, last.toMs)
}

describe('cycle times of a job operation', () => {
  const database = useFreshDatabase()

  async function ask(plant: TestPlant, body: object, now = nowMs): Promise<CycleTimesResponse> {
    const reports = plant.reports(database(), () => now)
    try {
      return await reports.cycleTimes(plant.company.id, { jobOperation: 'operation-1', ...body })
    } finally {
      reports.stop()
    }
  }

  /** A plant whose second machine makes two parts in a cycle. */
  async function plantOf(machines: readonly { readonly values: Values; readonly runs: readonly DrawnRun[] }[]) {
    const plant = new TestPlant()
    const made = machines.map((_, index) => plant.machine(index + 1, { commissionedAt: at(-1) }))
    const workCenters = made.slice(1).map(({ id: machineId }) => twoParts(machineId))
    plant.operation(1, { idealPartTime, workCenters })
    plant.operation(2)
    for (const [index, machine] of made.entries()) {
      const drawn = machines[index]
      for (const [number, { operation, from, until, setUpUntil }] of (drawn?.runs ?? []).entries())
        plant.run(10 * index + number + 1, machine, {
          jobOperationId: `operation-${operation}`,
          startAt: iso(from),
          endAt: iso(until),
          startInSetup: setUpUntil !== null,
          productionAt: setUpUntil === null ? null : iso(setUpUntil),
        })
    }
    for (const [index, machine] of made.entries()) {
      const samples = (machines[index]?.values ?? []).map(([atSecond, value]) =>
        sample(machine, midnightMs + atSecond * 1_000, 'EXECUTION', value),
      )
      await store(database(), plant.documents(machine, samples, midnightMs - hourMs, midnightMs + hours * hourMs))
    }
    return { plant, made }
  }

  it('Median, spread, standard and bins are those of the cycles that are found one by one', () =>
    forAll(
      fc.asyncProperty(anyPlant, async ({ machines, range, isFiltered }) => {
        const { plant, made } = await plantOf(machines)
        const [start, end] = range.map(iso)
        const filter = isFiltered ? { machine: [made[1]?.id] } : {}
        const answer = await ask(plant, { start, end, filter })
        const cycles = machines.flatMap((each, index) =>
          isFiltered && index === 0 ? [] : naiveCycles(each.values, each.runs, range, idealPartTime * (index + 1)),
        )
        expect(answer.cycleCount).to.equal(cycles.length)
        for (const [name, percent] of [
          ['p10Ms', 10],
          ['medianMs', 50],
          ['p90Ms', 90],
        ] as const)
          expect(answer[name], name).to.equal(naivePercentile(cycles, percent))
        const above = cycles.filter(({ lengthMs, standardMs }) => lengthMs > standardMs)
        expect(answer.aboveStandardCount).to.equal(above.length)
        const greatest = cycles.reduce((most, { standardMs }) => Math.max(most, standardMs), 0)
        expect(answer.standardMs).to.equal(cycles.length === 0 ? null : greatest)
        expectBins(answer, cycles)
      }),
      { numRuns: 60 },
    ))

  /** Cycles of these lengths in seconds, with 30 s between them, in one run. */
  function cyclesOf(lengths: readonly number[]): { readonly values: Values; readonly runs: readonly DrawnRun[] } {
    let from = 0
    const told: [number, string][] = [[0, 'READY']]
    for (const length of lengths) {
      told.push([from + 30, 'ACTIVE'], [from + 30 + length, 'READY'])
      from += 30 + length
    }
    return { values: told, runs: [{ operation: 1, from: 0, until: hours * 3_600 - 1, setUpUntil: null }] }
  }
  const wholeRange = { start: at(0), end: at(hours) }

  it('A cycle over hours counts once, and few long cycles do not widen the bins', async () => {
    const { plant } = await plantOf([cyclesOf([...Array.from({ length: 19 }, (_, i) => 240 + i), 3 * 3_600])])
    const answer = await ask(plant, wholeRange)
    expect(answer).to.deep.include({
      cycleCount: 20,
      p10Ms: 241_000,
      medianMs: 249_000,
      p90Ms: 257_000,
      standardMs: idealPartTime,
      aboveStandardCount: 19,
      shorterCount: 0,
      longerCount: 1,
    })
    expect(answer.bins.at(-1)?.toMs).to.be.lessThan(400_000)
  })

  it('A cycle in progress, or one whose end is unknown, does not count', async () => {
    const { values: told, runs: ofMachine } = cyclesOf([240, 250])
    const { plant } = await plantOf([{ values: [...told, [2_000, 'ACTIVE']], runs: ofMachine }])
    expect((await ask(plant, wholeRange)).cycleCount).to.equal(2)
    const lost = await plantOf([{ values: [...told, [2_000, 'ACTIVE'], [2_100, 'UNAVAILABLE']], runs: ofMachine }])
    expect((await ask(lost.plant, wholeRange)).cycleCount).to.equal(2)
  })

  it('The shift and the operators at the end of a cycle decide whether it matches the filters', async () => {
    const { plant } = await plantOf([cyclesOf([240])])
    const count = async (filter: object) => (await ask(plant, { ...wholeRange, filter })).cycleCount
    expect(await count({ shift: ['none'], operator: ['none'] })).to.equal(1)
    expect(await count({ shift: ['early'] })).to.equal(0)
    expect(await count({ operator: ['ann'] })).to.equal(0)
  })

  it('An unknown operation, or one of another company, has no cycles', async () => {
    const { plant } = await plantOf([cyclesOf([240])])
    expect((await ask(plant, { ...wholeRange, jobOperation: 'other' })).cycleCount).to.equal(0)
    expect((await ask(new TestPlant(), wholeRange)).bins).to.deep.equal([])
  })

  it('Too many days of machines are rejected', async () => {
    const plant = new TestPlant()
    plant.operation(1)
    for (let ref = 1; ref <= 6; ref++)
      plant.run(ref, plant.machine(ref, { createdAt: at(0) }), { startAt: at(0), endAt: null })
    const body = { start: at(0), end: at(24 * 400) }
    const error = await ask(plant, body, midnightMs + 401 * dayMs).catch((reason: unknown) => reason)
    expect(error).to.deep.include({ status: 400 })
  })
})
