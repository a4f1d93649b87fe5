import { fraction, nullableProperties, named, nullable, object, type Infer, partial } from '../types.ts'
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
export type Thresholds = Infer<typeof thresholds>

/** Thresholds of a machine or a job operation; missing ones are inherited. */
export const partialThresholds = named('OwnThresholds', partial(fields))

/** Thresholds in a request; each may be omitted or null. */
export const thresholdsInput = nullable(named('ThresholdsInput', partial(nullableProperties(fields))))

export const defaultThresholds: Thresholds = {
  oeeWarning: 0.75,
  oeeFailure: 0.6,
  partsGoalWarning: 0.9,
  partsGoalFailure: 0.75,
  utilizationWarning: 0.6,
  utilizationFailure: 0.4,
}
