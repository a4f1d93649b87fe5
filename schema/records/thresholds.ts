import * as t from '../types.ts'
import type { thresholdNames } from '../threshold-names.ts'

/** Fractions 0..1. */
const fields = {
  oeeWarning: t.fraction,
  oeeFailure: t.fraction,
  partsGoalWarning: t.fraction,
  partsGoalFailure: t.fraction,
  utilizationWarning: t.fraction,
  utilizationFailure: t.fraction,
} satisfies Record<(typeof thresholdNames)[number], unknown>

export const thresholds = t.named('Thresholds', t.object(fields))
export type Thresholds = t.Infer<typeof thresholds>

/** Thresholds of a machine or a job operation; missing ones are inherited. */
export const partialThresholds = t.named('OwnThresholds', t.partial(fields))

/** Thresholds in a request; each may be omitted or null. */
export const thresholdsInput = t.nullable(t.named('ThresholdsInput', t.partial(t.nullableProperties(fields))))

export const defaultThresholds: Thresholds = {
  oeeWarning: 0.75,
  oeeFailure: 0.6,
  partsGoalWarning: 0.9,
  partsGoalFailure: 0.75,
  utilizationWarning: 0.6,
  utilizationFailure: 0.4,
}
