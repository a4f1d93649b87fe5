import { instant, nullable, number, object, type Of, recordOf, text, uuid } from '../types.ts'

/** A requested recomputation of all documents from samples and records. */
export const rebuild = object({
  id: uuid,
  /** '': of every company. */
  companyId: text,
  requestedAt: instant,
  /** Number of recomputed machine-hours, by completed partition of state samples. */
  doneHours: recordOf(number),
  /** null: it is still asked for. */
  finishedAt: nullable(instant),
})
export type RebuildRecord = Of<typeof rebuild>
