import { hourMs } from '../shared/time/units.ts'
import { aboveZero, clamp, finite, type Formula, minus, constant, over, plus, product, sum, where } from './formula.ts'
import type { SumName } from './sums.ts'

/** A production metric: requests, computation and documentation use the same definition. */
export interface Metric {
  readonly unit: Unit
  readonly title: string
  readonly meaning: string
  readonly formula: Formula
}

/** `instant` is UTC ms; a `ratio` of 1 is 100 %. */
export type Unit = 'ms' | 'parts' | 'ratio' | 'parts/h' | 'ms/part' | 'instant'

const time = metricsIn('ms')
const parts = metricsIn('parts')
const rate = metricsIn('ratio')
const perHour = metricsIn('parts/h')
const perPart = metricsIn('ms/part')
const instant = metricsIn('instant')

const rejected = plus(sum('scrapParts'), sum('nonconformParts'))
const total = plus(sum('goodParts'), rejected)
const availability = over(sum('workedInCycleMs'), sum('workedMs'))
const performance = clamp(over(sum('idealActualParts'), sum('idealInCycleParts')), 0, Infinity)
const quality = clamp(
  over(minus(sum('workedTotalParts'), sum('workedRejectedParts')), aboveZero(sum('workedTotalParts'))),
  0,
  1,
)

export const metrics = {
  totalParts: parts('Total parts', 'Parts made, rejected ones included.', total),
  goodParts: parts('Good parts', 'Parts made and not rejected.', sum('goodParts')),
  rejectedParts: parts('Rejected parts', 'Parts rejected.', rejected),
  scrapParts: parts('Scrap parts', 'Parts rejected as scrap.', sum('scrapParts')),
  nonconformParts: parts('Nonconforming parts', 'Parts rejected as nonconforming.', sum('nonconformParts')),
  scheduledTotalParts: parts(
    'Scheduled total parts',
    'Parts made while scheduled and not in setup.',
    sum('workedTotalParts'),
  ),
  scheduledRejectedParts: parts(
    'Scheduled rejected parts',
    'Parts rejected while scheduled and not in setup.',
    sum('workedRejectedParts'),
  ),

  timeInCycle: time('Time in cycle', 'Time in which a program runs.', sum('inCycleMs')),
  timeSpindleRotating: time('Spindle time', 'Time in which a spindle rotates.', sum('spindleMs')),
  timeInCut: time('Time in cut', 'Time in which a tool cuts.', sum('cutMs')),
  scheduledTimeInCycle: time(
    'Scheduled time in cycle',
    'Time in cycle while scheduled and not in setup.',
    sum('workedInCycleMs'),
  ),
  productionTimeInCycle: time(
    'Production time in cycle',
    'Time in cycle while a job run is in production.',
    sum('productionInCycleMs'),
  ),
  productionDowntime: time(
    'Production downtime',
    'Time not in cycle while a job run is in production.',
    minus(sum('productionMs'), sum('productionInCycleMs')),
  ),
  productionTime: time('Production time', 'Time of job runs in production.', sum('productionMs')),
  setupTime: time('Setup time', 'Time of job runs in setup.', sum('setupMs')),
  scheduledTime: time('Scheduled time', 'Time scheduled and not in setup.', sum('workedMs')),
  unscheduledTime: time(
    'Unscheduled time',
    'Time neither scheduled nor in setup.',
    minus(minus(sum('allMs'), sum('setupMs')), sum('workedMs')),
  ),
  allTime: time('All time', 'All time of the machines from commissioning on, up to now.', sum('allMs')),
  nonOptionalTime: time(
    'Non-optional time',
    'All time except optional shifts and, for machines with a schedule, the time outside shifts.',
    sum('nonOptionalMs'),
  ),

  expectedPartTime: perPart(
    'Expected part time',
    'The longest expected time of a part among the job runs.',
    finite(sum('expectedPartMs')),
  ),
  idealPartTime: perPart(
    'Ideal part time',
    'The longest ideal time of a part among the job runs.',
    finite(sum('idealPartMs')),
  ),
  actualPartTime: perPart(
    'Actual part time',
    'Scheduled time per part made in it.',
    over(sum('workedMs'), sum('workedTotalParts')),
  ),
  expectedSetupTime: time(
    'Expected setup time',
    'Expected setup times of the job runs that started in setup, counted at their start.',
    sum('expectedSetupMs'),
  ),

  downtime: time('Downtime', 'Time scheduled (setup included) and not in cycle.', sum('downMs')),
  plannedDowntime: time('Planned downtime', 'Downtime in setup or for a planned reason.', sum('plannedDownMs')),
  unplannedDowntime: time(
    'Unplanned downtime',
    'Downtime that is not planned.',
    minus(sum('downMs'), sum('plannedDownMs')),
  ),
  categorizedDowntime: time(
    'Categorized downtime',
    'Downtime in setup or with a reason.',
    minus(sum('downMs'), sum('uncategorizedDownMs')),
  ),
  uncategorizedDowntime: time('Uncategorized downtime', 'Uncategorized downtime.', sum('uncategorizedDownMs')),

  scheduledIdealParts: parts(
    'Ideal parts, scheduled',
    'Parts that the scheduled time of the job runs allows at their ideal part times.',
    sum('idealWorkedParts'),
  ),
  inCycleIdealParts: parts(
    'Ideal parts, in cycle',
    'Parts that the scheduled time in cycle of the job runs allows at their ideal part times.',
    sum('idealInCycleParts'),
  ),
  scheduledExpectedParts: parts(
    'Expected parts, scheduled',
    'Parts that the scheduled time of the job runs allows at their expected part times.',
    sum('expectedWorkedParts'),
  ),
  scheduledGoalParts: parts(
    'Parts towards the goal, scheduled',
    'Parts made in the scheduled time of the job runs with an expected part time.',
    sum('expectedActualParts'),
  ),
  partsGoal: rate(
    'Parts goal',
    'Parts made over those expected by the job runs with an expected part time, at most 1.',
    clamp(over(sum('expectedActualParts'), sum('expectedWorkedParts')), 0, 1),
  ),

  availability: rate('Availability', 'Time in cycle over scheduled time.', availability),
  performance: rate(
    'Performance',
    'Parts made divided by the parts that the time in cycle allows at the ideal part times; may exceed 1.',
    performance,
  ),
  quality: rate('Quality', 'Share of the parts made in scheduled time that are good.', quality),
  scrapRate: rate('Scrap rate', '1 - quality.', minus(constant(1), quality)),
  oee: rate(
    'OEE',
    'Availability x performance x quality; null without an ideal part time.',
    effectiveness(availability),
  ),
  ooe: rate(
    'OOE',
    'Share of non-optional time in cycle x performance x quality; null without an ideal part time.',
    effectiveness(over(sum('nonOptionalInCycleMs'), sum('nonOptionalMs'))),
  ),
  teep: rate(
    'TEEP',
    'Share of all time in cycle x performance x quality; null without an ideal part time.',
    effectiveness(over(sum('inCycleMs'), sum('allMs'))),
  ),
  utilizationRate: rate('Utilization', 'Time in cycle over all time.', over(sum('inCycleMs'), sum('allMs'))),
  nonconformRate: rate('Nonconform rate', 'Nonconforming parts over all parts.', over(sum('nonconformParts'), total)),
  idealCoverage: rate(
    'Ideal coverage',
    'Share of scheduled time with a job run that has an ideal part time: the part of it that performance covers.',
    over(sum('idealWorkedMs'), sum('workedMs')),
  ),

  averagePartsPerHour: perHour(
    'Average parts per hour',
    'Parts made per hour of scheduled time.',
    hourly(sum('workedTotalParts'), sum('workedMs')),
  ),
  expectedPartsPerHour: perHour(
    'Expected parts per hour',
    'Parts expected per hour of scheduled time with an expected part time.',
    hourly(sum('expectedWorkedParts'), sum('expectedWorkedMs')),
  ),
  idealPartsPerHour: perHour(
    'Ideal parts per hour',
    'Parts ideally made per hour of scheduled time with an ideal part time.',
    hourly(sum('idealWorkedParts'), sum('idealWorkedMs')),
  ),

  partsGoalWarningThreshold: threshold('Parts goal warning', 'partsGoalWarningWeight', 'workedMs'),
  partsGoalFailureThreshold: threshold('Parts goal failure', 'partsGoalFailureWeight', 'workedMs'),
  oeeWarningThreshold: threshold('OEE warning', 'oeeWarningWeight', 'workedMs'),
  oeeFailureThreshold: threshold('OEE failure', 'oeeFailureWeight', 'workedMs'),
  utilizationWarningThreshold: threshold('Utilization warning', 'utilizationWarningWeight', 'allMs'),
  utilizationFailureThreshold: threshold('Utilization failure', 'utilizationFailureWeight', 'allMs'),

  minStartTime: instant('First job start', 'Start of the first time with a job run active.', finite(sum('firstRunMs'))),
  maxEndTime: instant('Last job end', 'End of the last time with a job run active.', finite(sum('lastRunMs'))),
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export function isMetricName(name: string): name is MetricName {
  return Object.hasOwn(metrics, name)
}

function metricsIn(unit: Unit) {
  return (title: string, meaning: string, formula: Formula): Metric => ({ unit, title, meaning, formula })
}

function threshold(title: string, weighted: SumName, weight: 'workedMs' | 'allMs'): Metric {
  const overWhat = weight === 'workedMs' ? 'scheduled time' : 'all time'
  return {
    unit: 'ratio',
    title: `${title} threshold`,
    meaning: `The threshold of the job operation, otherwise of the machine, otherwise of the company; average weighted by ${overWhat}.`,
    formula: over(sum(weighted), sum(weight)),
  }
}

/**
 * Returns the formula of a share of time × performance × quality: null without an ideal part time, otherwise 0 if a
 * factor is 0, otherwise null if a factor is null.
 */
function effectiveness(share: Formula): Formula {
  return where(finite(sum('idealPartMs')), product(share, performance, quality))
}

function hourly(count: Formula, timeMs: Formula): Formula {
  return over(count, over(timeMs, constant(hourMs)))
}
