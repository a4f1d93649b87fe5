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
 * Work that is done again. `dirtyHours`: machine-hours that wait because records changed or samples came late; reports
 * do not show these changes yet. `rebuilds`: the latest first.
 */
export const recomputesAnswer = named(
  'Recomputes',
  object({ dirtyHours: int, since: nullable(instant), rebuilds: list(rebuildAnswer) }),
)
export type RecomputesAnswer = Of<typeof recomputesAnswer>
