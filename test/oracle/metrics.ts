import type { Thresholds } from '../../schema/records/thresholds.ts'
import { thresholdAt } from './jobs.ts'
import type { RunSpan } from './jobs.ts'
import type { EventThing, Thing, TimeThing } from './things.ts'

/** The things of one group, by kind, with the company's thresholds. */
export interface Group {
  readonly time: readonly TimeThing[]
  readonly events: readonly EventThing[]
  readonly company: Thresholds
}

/** Sorts things by their kind. */
export function groupOf(things: readonly Thing[], company: Thresholds): Group {
  return {
    time: things.filter(it => it.kind === 'time'),
    events: things.filter(it => it.kind === 'event'),
    company,
  }
}

type Metric = (group: Group) => number | null

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0)
}

function ratio(above: number | null, below: number | null): number | null {
  return above === null || below === null || below === 0 ? null : above / below
}

function cut01(value: number | null): number | null {
  return value === null ? null : Math.min(1, Math.max(0, value))
}

function integrate(group: Group, where: (thing: TimeThing) => boolean): number {
  return sum(group.time.filter(where).map(it => it.endMs - it.startMs))
}

function time(where: (moment: TimeThing['moment']) => boolean): (group: Group) => number {
  return group => integrate(group, it => where(it.moment))
}

function counted(value: (event: EventThing) => number): (group: Group) => number {
  return group => sum(group.events.map(value))
}

/** Whether a thing is in scheduled time and not in setup. */
function productive({ moment }: TimeThing | EventThing): boolean {
  return moment.scheduled && moment.mode !== 'setup'
}

const rejectsOf = (it: EventThing) => it.scrap + it.nonconform
const goodOf = (it: EventThing) => it.reported + it.count
const totalOf = (it: EventThing) => goodOf(it) + rejectsOf(it)

const timeInCycle = time(it => it.inCycle)
const allTime = time(() => true)
const nonOptionalTime = time(it => it.nonOptional)
const scheduledTime = (group: Group) => integrate(group, productive)
const scheduledTimeInCycle = (group: Group) => integrate(group, it => productive(it) && it.moment.inCycle)
const scheduledTotalParts = counted(it => (productive(it) ? totalOf(it) : 0))
const scheduledRejectedParts = counted(it => (productive(it) ? rejectsOf(it) : 0))

interface JobFigures {
  readonly idealMs: number | null
  readonly expectedMs: number | null
  readonly scheduledMs: number
  readonly scheduledInCycleMs: number
  readonly scheduledParts: number
}

/** Returns the sums of each run with any time in the group. */
function jobs(group: Group): readonly JobFigures[] {
  const runs = new Map<string, RunSpan>()
  for (const { moment } of group.time) if (moment.run) runs.set(moment.run.record.id, moment.run)
  return [...runs.values()].map(({ record, times }) => {
    const ofRun: Group = {
      ...group,
      time: group.time.filter(it => it.moment.run?.record.id === record.id),
      events: group.events.filter(it => it.moment.run?.record.id === record.id),
    }
    return {
      idealMs: times.idealMs,
      expectedMs: times.expectedMs,
      scheduledMs: scheduledTime(ofRun),
      scheduledInCycleMs: scheduledTimeInCycle(ofRun),
      scheduledParts: scheduledTotalParts(ofRun),
    }
  })
}

type PartTime = 'idealMs' | 'expectedMs'

/** Returns the sum over the runs that have the part time. */
function sumOver(partTime: PartTime, value: (job: JobFigures, partTimeMs: number) => number): (group: Group) => number {
  return group =>
    sum(
      jobs(group).flatMap(job => {
        const partTimeMs = job[partTime]
        return partTimeMs === null ? [] : [value(job, partTimeMs)]
      }),
    )
}

function longest(partTime: PartTime): Metric {
  return group => {
    const found = jobs(group)
      .map(job => job[partTime])
      .filter(it => it !== null)
    return found.length === 0 ? null : Math.max(...found)
  }
}

const scheduledIdealParts = sumOver('idealMs', (job, idealMs) => job.scheduledMs / idealMs)
const inCycleIdealParts = sumOver('idealMs', (job, idealMs) => job.scheduledInCycleMs / idealMs)
const scheduledGoalParts = sumOver('expectedMs', job => job.scheduledParts)
const scheduledExpectedParts = sumOver('expectedMs', (job, expectedMs) => job.scheduledMs / expectedMs)

function partsPerHour(partTime: PartTime): Metric {
  const parts = sumOver(partTime, (job, partTimeMs) => job.scheduledMs / partTimeMs)
  const hours = sumOver(partTime, job => job.scheduledMs / 3_600_000)
  return group => ratio(parts(group), hours(group))
}

const availability: Metric = group => ratio(scheduledTimeInCycle(group), scheduledTime(group))

const performance: Metric = group => {
  const parts = sumOver('idealMs', job => job.scheduledParts)(group)
  const value = ratio(parts, inCycleIdealParts(group))
  return value === null ? null : Math.max(0, value)
}

const quality: Metric = group => {
  const total = scheduledTotalParts(group)
  return total <= 0 ? null : cut01(ratio(total - scheduledRejectedParts(group), total))
}

/**
 * Returns OEE, OOE or TEEP by its first factor: null if no run has an ideal time; otherwise 0 if a factor is 0, and
 * null if a factor is null.
 */
function effectiveness(first: Metric): Metric {
  return group => {
    if (jobs(group).every(job => job.idealMs === null)) return null
    const factors = [first(group), performance(group), quality(group)]
    if (factors.includes(0)) return 0
    return factors.reduce((product, it) => (product === null || it === null ? null : product * it), 1)
  }
}

function threshold(name: keyof Thresholds, weighs: (thing: TimeThing) => boolean): Metric {
  return group => {
    const things = group.time.filter(weighs)
    const weights = things.map(it => it.endMs - it.startMs)
    const weighted = things.map(
      ({ startMs, endMs, moment }) => (endMs - startMs) * thresholdAt(name, moment.run, moment.machine, group.company),
    )
    return ratio(sum(weighted), sum(weights))
  }
}

function downtime(where: (thing: TimeThing) => boolean): Metric {
  return group => integrate(group, it => it.moment.down && where(it))
}

const isCategorized = ({ moment }: TimeThing) => moment.reason !== 'uncategorized'

/** Returns all production metrics; `planned`: the ids of the planned reasons. */
export function productionMetrics(planned: ReadonlySet<string>): Readonly<Record<string, Metric>> {
  const isPlanned = ({ moment }: TimeThing) => moment.reason === 'setup' || planned.has(moment.reason)
  return {
    totalParts: counted(totalOf),
    goodParts: counted(goodOf),
    rejectedParts: counted(rejectsOf),
    scrapParts: counted(it => it.scrap),
    nonconformParts: counted(it => it.nonconform),
    nonconformRate: group => ratio(counted(it => it.nonconform)(group), counted(totalOf)(group)),
    timeInCycle,
    timeSpindleRotating: time(it => it.spindle),
    timeInCut: time(it => it.cut),
    scheduledTotalParts,
    scheduledRejectedParts,
    scheduledTimeInCycle,
    productionTimeInCycle: time(it => it.mode === 'production' && it.inCycle),
    productionDowntime: time(it => it.mode === 'production' && !it.inCycle),
    productionTime: time(it => it.mode === 'production'),
    setupTime: time(it => it.mode === 'setup'),
    scheduledTime,
    unscheduledTime: time(it => !it.scheduled && it.mode !== 'setup'),
    allTime,
    nonOptionalTime,
    expectedPartTime: longest('expectedMs'),
    idealPartTime: longest('idealMs'),
    expectedSetupTime: counted(it => it.expectedSetupMs),
    downtime: downtime(() => true),
    plannedDowntime: downtime(isPlanned),
    unplannedDowntime: downtime(it => !isPlanned(it)),
    categorizedDowntime: downtime(isCategorized),
    uncategorizedDowntime: downtime(it => !isCategorized(it)),
    scrapRate: group => {
      const value = quality(group)
      return value === null ? null : 1 - value
    },
    scheduledIdealParts,
    inCycleIdealParts,
    scheduledExpectedParts,
    scheduledGoalParts,
    partsGoal: group => cut01(ratio(scheduledGoalParts(group), scheduledExpectedParts(group))),
    partsGoalWarningThreshold: threshold('partsGoalWarning', productive),
    partsGoalFailureThreshold: threshold('partsGoalFailure', productive),
    availability,
    performance,
    quality,
    oee: effectiveness(availability),
    oeeWarningThreshold: threshold('oeeWarning', productive),
    oeeFailureThreshold: threshold('oeeFailure', productive),
    ooe: effectiveness(group => ratio(time(it => it.inCycle && it.nonOptional)(group), nonOptionalTime(group))),
    teep: effectiveness(group => ratio(timeInCycle(group), allTime(group))),
    utilizationRate: group => ratio(timeInCycle(group), allTime(group)),
    utilizationWarningThreshold: threshold('utilizationWarning', () => true),
    utilizationFailureThreshold: threshold('utilizationFailure', () => true),
    averagePartsPerHour: group => ratio(scheduledTotalParts(group), scheduledTime(group) / 3_600_000),
    expectedPartsPerHour: partsPerHour('expectedMs'),
    idealPartsPerHour: partsPerHour('idealMs'),
    minStartTime: group => earliest(group.time.filter(it => it.moment.run).map(it => it.startMs)),
    maxEndTime: group => latest(group.time.filter(it => it.moment.run).map(it => it.endMs)),
    actualPartTime: group => ratio(scheduledTime(group), scheduledTotalParts(group)),
    idealCoverage: group => ratio(sumOver('idealMs', job => job.scheduledMs)(group), scheduledTime(group)),
  }
}

/** Returns the minimum; null if there are no instants. */
export function earliest(instants: readonly number[]): number | null {
  return instants.length === 0 ? null : instants.reduce((least, it) => Math.min(least, it))
}

/** Returns the maximum; null if there are no instants. */
export function latest(instants: readonly number[]): number | null {
  return instants.length === 0 ? null : instants.reduce((greatest, it) => Math.max(greatest, it))
}

/** Names of all production metrics. */
export const productionMetricNames: readonly string[] = Object.keys(productionMetrics(new Set()))
