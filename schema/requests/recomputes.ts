import * as t from '../types.ts'

/** A rebuild, in machine-hours. `totalHours` is null until every processor has started it. */
export const rebuildResponse = t.named(
  'Rebuild',
  t.object({
    id: t.uuid,
    of: t.named('RebuildOf', t.oneOf(['company', 'installation'])),
    requestedAt: t.instant,
    finishedAt: t.nullable(t.instant),
    totalHours: t.nullable(t.int),
    doneHours: t.int,
  }),
)
export type RebuildResponse = t.Infer<typeof rebuildResponse>

/**
 * Pending recomputation. `dirtyHours`: machine-hours to recompute because of changed records or late samples; reports
 * do not contain these changes yet. `rebuilds`: latest first.
 */
export const recomputesResponse = t.named(
  'Recomputes',
  t.object({ dirtyHours: t.int, since: t.nullable(t.instant), rebuilds: t.list(rebuildResponse) }),
)
export type RecomputesResponse = t.Infer<typeof recomputesResponse>
