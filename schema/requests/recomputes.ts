import { instant, int, list, nullable, object, type Of, oneOf, uuid } from '../types.ts'

/** A rebuild, in machine-hours. `totalHours` null: not every processor has begun. */
export const rebuildAnswer = object({
  id: uuid,
  of: oneOf(['company', 'installation']),
  requestedAt: instant,
  finishedAt: nullable(instant),
  totalHours: nullable(int),
  doneHours: int,
})
export type RebuildAnswer = Of<typeof rebuildAnswer>

/**
 * What is being made again. `dirtyHours`: machine-hours that wait for a change of records or late samples; the reports are behind by
 * them. `rebuilds`: the latest first.
 */
export const recomputesAnswer = object({ dirtyHours: int, since: nullable(instant), rebuilds: list(rebuildAnswer) })
export type RecomputesAnswer = Of<typeof recomputesAnswer>
