/**
 * What a report adds up per group before any rate is taken: every level of a report is made of these, and they combine from any
 * partition of the group's time. Times are ms; `worked` is time scheduled and not in setup; `ideal` and `expected` sums run over
 * the job runs that have such a part time (semantics 7: J(ideal), J(exp)).
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

/** How the sums of two groups without common time become that of both. */
export type Combine = 'add' | 'min' | 'max'
export type SumName = keyof typeof sums

/** A group's sums. A `min` or `max` over nothing is an infinity. */
export type Sums = Readonly<Record<SumName, number>>

/** What a sum is over nothing. */
export const identity = { add: 0, min: Infinity, max: -Infinity } as const satisfies Record<Combine, number>
