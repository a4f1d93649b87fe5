import { instant, int, list, named, nullable, object, type Infer, oneOf, uuid } from '../types.ts'

/** A rebuild, in machine-hours. `totalHours` is null until every processor has started it. */
export const rebuildResponse = named(
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
export type RebuildResponse = Infer<typeof rebuildResponse>

/**
 * Pending recomputation. `dirtyHours`: machine-hours to recompute because of changed records or late samples; reports
 * do not contain these changes yet. `rebuilds`: latest first.
 */
export const recomputesResponse = named(
  'Recomputes',
  object({ dirtyHours: int, since: nullable(instant), rebuilds: list(rebuildResponse) }),
)
export type RecomputesResponse = Infer<typeof recomputesResponse>
