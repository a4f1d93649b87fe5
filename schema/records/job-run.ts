import { Type } from 'typebox'
import * as t from '../types.ts'

/** Id of a job run in the ERP system (`erpJobOperationRunId`). */
export const runId = Type.String({ minLength: 1, maxLength: 200, description: "The ERP's own id of the run" })

export const jobRun = t.object({
  id: runId,
  ref: t.int,
  companyId: t.text,
  machineId: t.uuid,
  jobOperationId: t.text,
  startInSetup: t.bool,
  startAt: t.instant,
  endAt: t.nullable(t.instant),
  /** When production of the run was reported; null if never. */
  productionAt: t.nullable(t.instant),
  /**
   * Sequence number of the start, higher than all earlier ones: of runs with equal `startAt`, the one with the highest
   * number is valid.
   */
  startSequence: t.int,
})
export type JobRunRecord = t.Infer<typeof jobRun>
