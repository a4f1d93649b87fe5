import { instant, nullable, number, object, type Of, recordOf, text, uuid } from '../types.ts'

/** Everything made again from the samples and the records, as it was asked for. */
export const rebuild = object({
  id: uuid,
  /** '': of every company. */
  companyId: text,
  requestedAt: instant,
  /** Machine-hours that were made again, by partition of state samples, of those that are done. */
  doneHours: recordOf(number),
  /** null: it is still asked for. */
  finishedAt: nullable(instant),
})
export type RebuildRecord = Of<typeof rebuild>
