import { Type } from 'typebox'
import { bool, instant, int, nullable, object, type Infer, text, uuid } from '../types.ts'

/** Id of a job run in the ERP system (`erpJobOperationRunId`). */
export const runId = Type.String({ minLength: 1, maxLength: 200, description: "The ERP's own id of the run" })

export const jobRun = object({
  id: runId,
  ref: int,
  companyId: text,
  machineId: uuid,
  jobOperationId: text,
  startInSetup: bool,
  startAt: instant,
  endAt: nullable(instant),
  /** When production of the run was reported; null if never. */
  productionAt: nullable(instant),
  /**
   * Sequence number of the start, higher than all earlier ones: of runs with equal `startAt`, the one with the highest
   * number is valid.
   */
  startSequence: int,
})
export type JobRunRecord = Infer<typeof jobRun>
