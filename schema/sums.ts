/**
 * Sums of a report per group, from which metrics are computed; the value states how two groups are combined. The sums
 * of disjoint parts of a time range combine to those of the whole. Times are ms. `worked` is scheduled time outside
 * setup. `ideal` and `expected` sums include only job runs with an ideal or expected part time.
 */
export const sums = {
  allMs: 'add',
  inCycleMs: 'add',
  spindleMs: 'add',
  cutMs: 'add',
  setupMs: 'add',
  productionMs: 'add',
  productionInCycleMs: 'add',
  workedMs: 'add',
  workedInCycleMs: 'add',
  nonOptionalMs: 'add',
  nonOptionalInCycleMs: 'add',
  downMs: 'add',
  plannedDownMs: 'add',
  uncategorizedDownMs: 'add',
  goodParts: 'add',
  scrapParts: 'add',
  nonconformParts: 'add',
  workedTotalParts: 'add',
  workedRejectedParts: 'add',
  idealWorkedMs: 'add',
  idealWorkedParts: 'add',
  idealInCycleParts: 'add',
  idealActualParts: 'add',
  idealPartMs: 'max',
  expectedWorkedMs: 'add',
  expectedWorkedParts: 'add',
  expectedActualParts: 'add',
  expectedPartMs: 'max',
  expectedSetupMs: 'add',
  firstRunMs: 'min',
  lastRunMs: 'max',
  oeeWarningWeight: 'add',
  oeeFailureWeight: 'add',
  partsGoalWarningWeight: 'add',
  partsGoalFailureWeight: 'add',
  utilizationWarningWeight: 'add',
  utilizationFailureWeight: 'add',
} as const satisfies Record<string, Combine>

/** How the sums of two groups without common time are combined. */
export type Combine = 'add' | 'min' | 'max'
export type SumName = keyof typeof sums

/** Value of a sum over no rows. */
export const identityElements = { add: 0, min: Infinity, max: -Infinity } as const satisfies Record<Combine, number>

/**
 * Meaning of each sum. "Worked" is scheduled and not in setup. Parts are reported parts times the multiplier of their
 * job run, plus adjustments.
 */
export const sumMeanings: Readonly<Record<SumName, string>> = {
  allMs: 'All time.',
  inCycleMs: 'Time in cycle.',
  spindleMs: 'Time in which a spindle rotates.',
  cutMs: 'Time in which a tool cuts.',
  setupMs: 'Time of job runs in setup.',
  productionMs: 'Time of job runs in production.',
  productionInCycleMs: 'Time in cycle of job runs in production.',
  workedMs: 'Scheduled time.',
  workedInCycleMs: 'Scheduled time in cycle.',
  nonOptionalMs: 'All time except optional shifts and, for machines with a schedule, the time outside shifts.',
  nonOptionalInCycleMs: 'Non-optional time in cycle.',
  downMs: 'Time scheduled (setup included) and not in cycle.',
  plannedDownMs: 'Downtime in setup or with a planned reason.',
  uncategorizedDownMs: 'Uncategorized downtime.',
  goodParts: 'Parts made and not rejected.',
  scrapParts: 'Parts rejected as scrap.',
  nonconformParts: 'Parts rejected as nonconforming.',
  workedTotalParts: 'Parts made in scheduled time.',
  workedRejectedParts: 'Parts rejected in scheduled time.',
  idealWorkedMs: 'Scheduled time of job runs with an ideal part time.',
  idealWorkedParts: 'This time divided by the ideal part times.',
  idealInCycleParts: 'Scheduled time in cycle of these runs divided by their ideal part times.',
  idealActualParts: 'Parts made in the scheduled time of these runs.',
  idealPartMs: 'The longest ideal part time of a run with any time.',
  expectedWorkedMs: 'Scheduled time of job runs with an expected part time.',
  expectedWorkedParts: 'This time divided by the expected part times.',
  expectedActualParts: 'Parts made in the scheduled time of these runs.',
  expectedPartMs: 'The longest expected part time of a run with any time.',
  expectedSetupMs: 'Expected setup times of job runs that started in setup, at their start.',
  firstRunMs: 'Start of the first time with a job run.',
  lastRunMs: 'End of the last time with a job run.',
  oeeWarningWeight: 'Scheduled time times the threshold that applies.',
  oeeFailureWeight: 'Scheduled time times the threshold that applies.',
  partsGoalWarningWeight: 'Scheduled time times the threshold that applies.',
  partsGoalFailureWeight: 'Scheduled time times the threshold that applies.',
  utilizationWarningWeight: 'All time times the threshold that applies.',
  utilizationFailureWeight: 'All time times the threshold that applies.',
}

/** Unit of a sum; `instant` is UTC ms. */
export function unitOfSum(name: SumName): 'ms' | 'parts' | 'ms/part' | 'instant' {
  if (name === 'firstRunMs' || name === 'lastRunMs') return 'instant'
  if (name === 'idealPartMs' || name === 'expectedPartMs') return 'ms/part'
  return name.endsWith('Parts') ? 'parts' : 'ms'
}
