import { hourMs } from './document.ts'
import type { SumName, Sums } from './sums.ts'

/** The production metrics: what parsing accepts, what is computed and what the docs list. */
export interface Metric {
  readonly unit: Unit
  readonly title: string
  readonly meaning: string
  /** The sums that `value` reads. */
  readonly needs: readonly SumName[]
  /** Pure; null where the group has no such number. */
  readonly value: (sums: Sums) => number | null
}

/** `instant` is UTC ms; a `ratio` of 1 is 100 %. */
export type Unit = 'ms' | 'parts' | 'ratio' | 'parts/h' | 'ms/part' | 'instant'

const time = metricsIn('ms')
const parts = metricsIn('parts')
const rate = metricsIn('ratio')
const perHour = metricsIn('parts/h')
const perPart = metricsIn('ms/part')
const instant = metricsIn('instant')

const workedParts = ['workedTotalParts', 'workedRejectedParts'] as const
const availabilityNeeds = ['workedInCycleMs', 'workedMs'] as const
const performanceNeeds = ['idealActualParts', 'idealInCycleParts'] as const
const effectNeeds = [...performanceNeeds, ...workedParts, 'idealPartMs'] as const

export const metrics = {
  totalParts: parts(
    'Total parts',
    'Parts made, rejected ones included.',
    ['goodParts', 'scrapParts', 'nonconformParts'],
    total,
  ),
  goodParts: parts('Good parts', 'Parts made and not rejected.', ['goodParts'], s => s.goodParts),
  rejectedParts: parts('Rejected parts', 'Parts rejected.', ['scrapParts', 'nonconformParts'], rejected),
  scrapParts: parts('Scrap parts', 'Parts rejected as scrap.', ['scrapParts'], s => s.scrapParts),
  nonconformParts: parts(
    'Nonconforming parts',
    'Parts rejected as nonconforming.',
    ['nonconformParts'],
    s => s.nonconformParts,
  ),
  scheduledTotalParts: parts(
    'Scheduled total parts',
    'Parts made while scheduled and not in setup.',
    ['workedTotalParts'],
    s => s.workedTotalParts,
  ),
  scheduledRejectedParts: parts(
    'Scheduled rejected parts',
    'Parts rejected while scheduled and not in setup.',
    ['workedRejectedParts'],
    s => s.workedRejectedParts,
  ),

  timeInCycle: time('Time in cycle', 'Time in which a program runs.', ['inCycleMs'], s => s.inCycleMs),
  timeSpindleRotating: time('Spindle time', 'Time in which a spindle rotates.', ['spindleMs'], s => s.spindleMs),
  timeInCut: time('Time in cut', 'Time in which a tool cuts.', ['cutMs'], s => s.cutMs),
  scheduledTimeInCycle: time(
    'Scheduled time in cycle',
    'Time in cycle while scheduled and not in setup.',
    ['workedInCycleMs'],
    s => s.workedInCycleMs,
  ),
  productionTimeInCycle: time(
    'Production time in cycle',
    'Time in cycle while a job run is in production.',
    ['productionInCycleMs'],
    s => s.productionInCycleMs,
  ),
  productionDowntime: time(
    'Production downtime',
    'Time not in cycle while a job run is in production.',
    ['productionMs', 'productionInCycleMs'],
    s => s.productionMs - s.productionInCycleMs,
  ),
  productionTime: time('Production time', 'Time of job runs in production.', ['productionMs'], s => s.productionMs),
  setupTime: time('Setup time', 'Time of job runs in setup.', ['setupMs'], s => s.setupMs),
  scheduledTime: time('Scheduled time', 'Time scheduled and not in setup.', ['workedMs'], s => s.workedMs),
  unscheduledTime: time(
    'Unscheduled time',
    'Time neither scheduled nor in setup.',
    ['allMs', 'setupMs', 'workedMs'],
    s => s.allMs - s.setupMs - s.workedMs,
  ),
  allTime: time('All time', 'All time of the machines from commissioning on, up to now.', ['allMs'], s => s.allMs),
  nonOptionalTime: time(
    'Non-optional time',
    'All time but optional shifts and, where there is a schedule, the time outside shifts.',
    ['nonOptionalMs'],
    s => s.nonOptionalMs,
  ),

  expectedPartTime: perPart(
    'Expected part time',
    'The longest expected time of a part among the job runs.',
    ['expectedPartMs'],
    s => extreme(s.expectedPartMs),
  ),
  idealPartTime: perPart(
    'Ideal part time',
    'The longest ideal time of a part among the job runs.',
    ['idealPartMs'],
    s => extreme(s.idealPartMs),
  ),
  actualPartTime: perPart(
    'Actual part time',
    'Scheduled time per part made in it.',
    ['workedMs', 'workedTotalParts'],
    s => ratio(s.workedMs, s.workedTotalParts),
  ),
  expectedSetupTime: time(
    'Expected setup time',
    'Expected setup times of the job runs that started in setup, counted at their start.',
    ['expectedSetupMs'],
    s => s.expectedSetupMs,
  ),

  downtime: time('Downtime', 'Time scheduled (setup included) and not in cycle.', ['downMs'], s => s.downMs),
  plannedDowntime: time(
    'Planned downtime',
    'Downtime in setup or for a planned reason.',
    ['plannedDownMs'],
    s => s.plannedDownMs,
  ),
  unplannedDowntime: time(
    'Unplanned downtime',
    'Downtime that is not planned.',
    ['downMs', 'plannedDownMs'],
    s => s.downMs - s.plannedDownMs,
  ),
  categorizedDowntime: time(
    'Categorized downtime',
    'Downtime in setup or with a reason.',
    ['downMs', 'uncategorizedDownMs'],
    s => s.downMs - s.uncategorizedDownMs,
  ),
  uncategorizedDowntime: time(
    'Uncategorized downtime',
    'Downtime without a reason.',
    ['uncategorizedDownMs'],
    s => s.uncategorizedDownMs,
  ),

  scheduledIdealParts: parts(
    'Ideal parts, scheduled',
    'Parts that the scheduled time of the job runs allows at their ideal part times.',
    ['idealWorkedParts'],
    s => s.idealWorkedParts,
  ),
  inCycleIdealParts: parts(
    'Ideal parts, in cycle',
    'Parts that the scheduled time in cycle of the job runs allows at their ideal part times.',
    ['idealInCycleParts'],
    s => s.idealInCycleParts,
  ),
  partsGoal: rate(
    'Parts goal',
    'Parts made over those expected by the job runs with an expected part time, at most 1.',
    ['expectedActualParts', 'expectedWorkedParts'],
    s => clamp(ratio(s.expectedActualParts, s.expectedWorkedParts), 0, 1),
  ),

  availability: rate('Availability', 'Time in cycle over scheduled time.', availabilityNeeds, availability),
  performance: rate(
    'Performance',
    'Parts made over the parts that the time in cycle allows at the ideal part times; may exceed 1.',
    performanceNeeds,
    performance,
  ),
  quality: rate('Quality', 'Share of the parts made in scheduled time that are good.', workedParts, quality),
  scrapRate: rate('Scrap rate', '1 - quality.', workedParts, s => minus(1, quality(s))),
  oee: rate(
    'OEE',
    'Availability x performance x quality; null without an ideal part time.',
    [...availabilityNeeds, ...effectNeeds],
    s => effectiveness(availability(s), s),
  ),
  ooe: rate(
    'OOE',
    'Share of non-optional time in cycle x performance x quality; null without an ideal part time.',
    ['nonOptionalInCycleMs', 'nonOptionalMs', ...effectNeeds],
    s => effectiveness(ratio(s.nonOptionalInCycleMs, s.nonOptionalMs), s),
  ),
  teep: rate(
    'TEEP',
    'Share of all time in cycle x performance x quality; null without an ideal part time.',
    ['inCycleMs', 'allMs', ...effectNeeds],
    s => effectiveness(ratio(s.inCycleMs, s.allMs), s),
  ),
  utilizationRate: rate('Utilization', 'Time in cycle over all time.', ['inCycleMs', 'allMs'], s =>
    ratio(s.inCycleMs, s.allMs),
  ),
  nonconformRate: rate(
    'Nonconform rate',
    'Nonconforming parts over all parts.',
    ['goodParts', 'scrapParts', 'nonconformParts'],
    s => ratio(s.nonconformParts, total(s)),
  ),
  idealCoverage: rate(
    'Ideal coverage',
    'Share of scheduled time with a job run that has an ideal part time: how much of it the performance speaks for.',
    ['idealWorkedMs', 'workedMs'],
    s => ratio(s.idealWorkedMs, s.workedMs),
  ),

  averagePartsPerHour: perHour(
    'Average parts per hour',
    'Parts made per hour of scheduled time.',
    ['workedTotalParts', 'workedMs'],
    s => hourly(s.workedTotalParts, s.workedMs),
  ),
  expectedPartsPerHour: perHour(
    'Expected parts per hour',
    'Parts expected per hour of scheduled time with an expected part time.',
    ['expectedWorkedParts', 'expectedWorkedMs'],
    s => hourly(s.expectedWorkedParts, s.expectedWorkedMs),
  ),
  idealPartsPerHour: perHour(
    'Ideal parts per hour',
    'Parts ideally made per hour of scheduled time with an ideal part time.',
    ['idealWorkedParts', 'idealWorkedMs'],
    s => hourly(s.idealWorkedParts, s.idealWorkedMs),
  ),

  partsGoalWarningThreshold: threshold('Parts goal warning', 'partsGoalWarningWeight', 'workedMs'),
  partsGoalFailureThreshold: threshold('Parts goal failure', 'partsGoalFailureWeight', 'workedMs'),
  oeeWarningThreshold: threshold('OEE warning', 'oeeWarningWeight', 'workedMs'),
  oeeFailureThreshold: threshold('OEE failure', 'oeeFailureWeight', 'workedMs'),
  utilizationWarningThreshold: threshold('Utilization warning', 'utilizationWarningWeight', 'allMs'),
  utilizationFailureThreshold: threshold('Utilization failure', 'utilizationFailureWeight', 'allMs'),

  minStartTime: instant('First job start', 'Start of the first time with a job run active.', ['firstRunMs'], s =>
    extreme(s.firstRunMs),
  ),
  maxEndTime: instant('Last job end', 'End of the last time with a job run active.', ['lastRunMs'], s =>
    extreme(s.lastRunMs),
  ),
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export function isMetricName(name: string): name is MetricName {
  return Object.hasOwn(metrics, name)
}

/** Defines metrics of a unit; the type lets a formula read only the sums that it names. */
function metricsIn(unit: Unit) {
  return <Need extends SumName>(
    title: string,
    meaning: string,
    needs: readonly Need[],
    value: (sums: Pick<Sums, Need>) => number | null,
  ): Metric => ({ unit, title, meaning, needs, value })
}

function threshold(title: string, weighted: SumName, weight: 'workedMs' | 'allMs'): Metric {
  const over = weight === 'workedMs' ? 'scheduled time' : 'all time'
  return {
    unit: 'ratio',
    title: `${title} threshold`,
    meaning: `The threshold of the job's operation, else the machine's, else the company's; averaged by ${over}.`,
    needs: [weighted, weight],
    value: sums => ratio(sums[weighted], sums[weight]),
  }
}

type Of<Need extends SumName> = Pick<Sums, Need>

function rejected(s: Of<'scrapParts' | 'nonconformParts'>): number {
  return s.scrapParts + s.nonconformParts
}

function total(s: Of<'goodParts' | 'scrapParts' | 'nonconformParts'>): number {
  return s.goodParts + rejected(s)
}

function availability(s: Of<(typeof availabilityNeeds)[number]>): number | null {
  return ratio(s.workedInCycleMs, s.workedMs)
}

function performance(s: Of<(typeof performanceNeeds)[number]>): number | null {
  return clamp(ratio(s.idealActualParts, s.idealInCycleParts), 0, Infinity)
}

function quality(s: Of<(typeof workedParts)[number]>): number | null {
  if (s.workedTotalParts <= 0) return null
  return clamp(ratio(s.workedTotalParts - s.workedRejectedParts, s.workedTotalParts), 0, 1)
}

/** A share of time x performance x quality: null without an ideal part time, else 0 where a factor is, else null where a factor is. */
function effectiveness(share: number | null, s: Of<(typeof effectNeeds)[number]>): number | null {
  if (extreme(s.idealPartMs) === null) return null
  const factors = [share, performance(s), quality(s)]
  if (factors.includes(0)) return 0
  return factors.reduce((product, factor) => (product === null || factor === null ? null : product * factor), 1)
}

function hourly(parts: number, overMs: number): number | null {
  return ratio(parts, overMs / hourMs)
}

function ratio(numerator: number, denominator: number): number | null {
  return denominator === 0 ? null : numerator / denominator
}

function minus(from: number, value: number | null): number | null {
  return value === null ? null : from - value
}

function clamp(value: number | null, low: number, high: number): number | null {
  return value === null ? null : Math.min(Math.max(value, low), high)
}

/** A min or max over nothing is an infinity, which is no number to show. */
function extreme(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
