import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import { runId } from '../records/job-run.ts'
import {
  bool,
  described,
  nullableProperties,
  instant,
  int,
  int32Number,
  integer,
  longText,
  instantOrDate,
  name,
  named,
  instantOrNow,
  nullable,
  number,
  object,
  type Infer,
  shortText,
  withDefault,
  withExamples,
} from '../types.ts'

/** Numbers of parts of a job run, integers: `totalParts` is the sum of the other three. */
const jobRunParts = named(
  'JobRunParts',
  object({ totalParts: int, goodParts: int, scrapParts: int, nonconformParts: int }),
)
export type JobRunParts = Infer<typeof jobRunParts>

/** Response for a job run. `endAt` is null until an end is reported or another run starts on the machine. */
export const jobRunResponse = named(
  'JobRun',
  object({ startAt: instant, endAt: nullable(instant), metrics: jobRunParts }),
)
export type JobRunResponse = Infer<typeof jobRunResponse>

const natural = integer(0, 2_147_483_647)
const jobName = withDefault(nullable(shortText), '')

/** Body of `POST /erp/jobdispatch/start`. */
export const startRunInput = named(
  'StartRunInput',
  withExamples(
    object(
      {
        erpJobOperationRunId: runId,
        erpMachineId: Type.String({ maxLength: 200, description: 'The `erpMachineId` in the settings of the machine' }),
        jobName: name,
        operationName: jobName,
        lotName: jobName,
        partName: jobName,
        startInSetup: withDefault(nullable(bool), false),
        startAt: instantOrNow,
        ...nullableProperties({
          dueAt: described(
            instantOrDate,
            "Used, like the fields below, only if the job is new. An ISO 8601 date-time; or a date, which means 00:00 of that day in the company's time zone",
          ),
          jobOperationDescription: longText,
          partValue: number,
          quantityRequired: int32Number,
          expectedSetupTime: described(natural, 'Seconds'),
          idealPartTime: described(natural, 'Milliseconds per part'),
          expectedPartTime: described(natural, 'Milliseconds per part'),
        }),
      },
      [
        ...(['operationName', 'lotName', 'partName', 'startInSetup', 'startAt', 'dueAt'] as const),
        ...(['jobOperationDescription', 'partValue', 'quantityRequired'] as const),
        ...(['expectedSetupTime', 'idealPartTime', 'expectedPartTime'] as const),
      ],
    ),
    {
      erpJobOperationRunId: exampleIds.jobRun,
      erpMachineId: exampleIds.erpMachine,
      jobName: 'J-1002',
      operationName: '10',
      partName: 'Flange',
      startInSetup: true,
      startAt: '2026-03-02T06:00:00.000Z',
      idealPartTime: 30_000,
    },
  ),
)

/** Body of `POST /erp/jobdispatch/stop`. */
export const stopRunInput = named(
  'StopRunInput',
  withExamples(object({ erpJobOperationRunId: runId, endAt: instantOrNow }, ['endAt']), {
    erpJobOperationRunId: exampleIds.jobRun,
    endAt: '2026-03-02T14:00:00.000Z',
  }),
)

/** Body of `POST /erp/jobdispatch/production`. */
export const productionInput = named(
  'RunProductionInput',
  withExamples(object({ erpJobOperationRunId: runId, productionAt: instantOrNow }, ['productionAt']), {
    erpJobOperationRunId: exampleIds.jobRun,
    productionAt: '2026-03-02T06:30:00.000Z',
  }),
)

/** Query of `GET /erp/jobdispatch`. */
export const runQuery = object({ erpRunId: runId })
