import { Type } from 'typebox'
import { bool, instant, int, nullable, object, type Of, text, uuid } from '../types.ts'

/** The ERP's id of a run (`erpJobOperationRunId`). */
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
  /** When it was told to go to production; null: never. */
  productionAt: nullable(instant),
  /** Number of the start, higher than those before: of runs with equal `startAt` the one with the highest stands. */
  startSequence: int,
})
export type JobRunRecord = Of<typeof jobRun>
