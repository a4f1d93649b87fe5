/** Names of the thresholds: a warning and a failure threshold for each rated metric. */
export const thresholdNames = [
  'oeeWarning',
  'oeeFailure',
  'partsGoalWarning',
  'partsGoalFailure',
  'utilizationWarning',
  'utilizationFailure',
] as const
