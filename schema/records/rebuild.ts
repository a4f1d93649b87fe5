import * as t from '../types.ts'

/** A requested recomputation of all documents from samples and records. */
export const rebuild = t.object({
  id: t.uuid,
  /** '' for a rebuild of every company. */
  companyId: t.text,
  requestedAt: t.instant,
  /** Number of recomputed machine-hours, by completed partition of state samples. */
  doneHours: t.recordOf(t.number),
  /** null while the rebuild is in progress. */
  finishedAt: t.nullable(t.instant),
})
export type RebuildRecord = t.Infer<typeof rebuild>
