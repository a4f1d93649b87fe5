import { instant, int, list, named, nullable, object, type Of, oneOf, uuid } from '../types.ts'

/** A rebuild, in machine-hours. `totalHours` null: not every processor has begun. */
export const rebuildAnswer = named(
  'Rebuild',
  object({
    id: uuid,
    of: named('RebuildOf', oneOf(['company', 'installation'])),
    requestedAt: instant,
    finishedAt: nullable(instant),
    totalHours: nullable(int),
    doneHours: int,
  }),
)
export type RebuildAnswer = Of<typeof rebuildAnswer>

/**
 * What is being made again. `dirtyHours`: machine-hours that wait for a change of records or late samples; the reports are behind by
 * them. `rebuilds`: the latest first.
 */
export const recomputesAnswer = named(
  'Recomputes',
  object({ dirtyHours: int, since: nullable(instant), rebuilds: list(rebuildAnswer) }),
)
export type RecomputesAnswer = Of<typeof recomputesAnswer>
