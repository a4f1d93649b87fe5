import { fraction, given, named, nullable, object, type Of, partial } from '../types.ts'
import type { thresholdNames } from '../threshold-names.ts'

/** Fractions 0..1. */
const fields = {
  oeeWarning: fraction,
  oeeFailure: fraction,
  partsGoalWarning: fraction,
  partsGoalFailure: fraction,
  utilizationWarning: fraction,
  utilizationFailure: fraction,
} satisfies Record<(typeof thresholdNames)[number], unknown>

export const thresholds = named('Thresholds', object(fields))
export type Thresholds = Of<typeof thresholds>

/** Thresholds of a machine or a job operation itself, which may lack some. */
export const someThresholds = named('OwnThresholds', partial(fields))

/** As a caller sends them: any left out, or null. */
export const thresholdsInput = nullable(named('ThresholdsInput', partial(given(fields))))

export const defaultThresholds: Thresholds = {
  oeeWarning: 0.75,
  oeeFailure: 0.6,
  partsGoalWarning: 0.9,
  partsGoalFailure: 0.75,
  utilizationWarning: 0.6,
  utilizationFailure: 0.4,
}
