import { instant, nullable, number, object, type Infer, recordOf, text, uuid } from '../types.ts'

/** A requested recomputation of all documents from samples and records. */
export const rebuild = object({
  id: uuid,
  /** '' for a rebuild of every company. */
  companyId: text,
  requestedAt: instant,
  /** Number of recomputed machine-hours, by completed partition of state samples. */
  doneHours: recordOf(number),
  /** null while the rebuild is in progress. */
  finishedAt: nullable(instant),
})
export type RebuildRecord = Infer<typeof rebuild>
