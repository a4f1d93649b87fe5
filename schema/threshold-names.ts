/** Names of the thresholds: for each rated figure one that warns, and one that fails. */
export const thresholdNames = [
  'oeeWarning',
  'oeeFailure',
  'partsGoalWarning',
  'partsGoalFailure',
  'utilizationWarning',
  'utilizationFailure',
] as const
