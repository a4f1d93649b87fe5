import { Type } from 'typebox'
import { runId } from '../records/job-run.ts'
import {
  bool,
  described,
  given,
  instant,
  int,
  int32,
  integer,
  longText,
  looseInstant,
  name,
  nowUnlessGiven,
  nullable,
  number,
  object,
  type Of,
  shortText,
  withDefault,
} from '../types.ts'

/** Parts of a job run, whole numbers: `totalParts` is the sum of the others. */
const jobRunParts = object({ totalParts: int, goodParts: int, scrapParts: int, nonconformParts: int })
export type JobRunParts = Of<typeof jobRunParts>

/** A job run as an ERP asks for it. `endAt`: when it ended; null: not before it is told, or another run starts on the machine. */
export const jobRunAnswer = object({ startAt: instant, endAt: nullable(instant), metrics: jobRunParts })
export type JobRunAnswer = Of<typeof jobRunAnswer>

const natural = integer(0, 2_147_483_647)
const jobName = withDefault(nullable(shortText), '')

/** Body of `POST /erp/jobdispatch/start`. */
export const startRunInput = object(
  {
    erpJobOperationRunId: runId,
    erpMachineId: Type.String({ maxLength: 200, description: 'As the machine has it in its settings' }),
    jobName: name,
    operationName: jobName,
    lotName: jobName,
    partName: jobName,
    startInSetup: withDefault(nullable(bool), false),
    startAt: nowUnlessGiven,
    ...given({
      dueAt: described(looseInstant, 'This and what follows counts only where the job is new'),
      jobOperationDescription: longText,
      partValue: number,
      quantityRequired: int32,
      expectedSetupTime: described(natural, 'Seconds'),
      idealPartTime: described(natural, 'Milliseconds a part'),
      expectedPartTime: described(natural, 'Milliseconds a part'),
    }),
  },
  [
    ...(['operationName', 'lotName', 'partName', 'startInSetup', 'startAt', 'dueAt'] as const),
    ...(['jobOperationDescription', 'partValue', 'quantityRequired'] as const),
    ...(['expectedSetupTime', 'idealPartTime', 'expectedPartTime'] as const),
  ],
)

/** Body of `POST /erp/jobdispatch/stop`. */
export const stopRunInput = object({ erpJobOperationRunId: runId, endAt: nowUnlessGiven }, ['endAt'])

/** Body of `POST /erp/jobdispatch/production`. */
export const productionInput = object({ erpJobOperationRunId: runId, productionAt: nowUnlessGiven }, ['productionAt'])

/** Query of `GET /erp/jobdispatch`. */
export const runQuery = object({ erpRunId: runId })
