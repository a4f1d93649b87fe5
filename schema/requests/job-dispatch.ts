import { exampleIds } from '../example-ids.ts'
import { Type } from 'typebox'
import { runId } from '../records/job-run.ts'
import * as t from '../types.ts'

/** Numbers of parts of a job run, integers: `totalParts` is the sum of the other three. */
const jobRunParts = t.named(
  'JobRunParts',
  t.object({ totalParts: t.int, goodParts: t.int, scrapParts: t.int, nonconformParts: t.int }),
)
export type JobRunParts = t.Infer<typeof jobRunParts>

/** Response for a job run. `endAt` is null until an end is reported or another run starts on the machine. */
export const jobRunResponse = t.named(
  'JobRun',
  t.object({ startAt: t.instant, endAt: t.nullable(t.instant), metrics: jobRunParts }),
)
export type JobRunResponse = t.Infer<typeof jobRunResponse>

const natural = t.integer(0, 2_147_483_647)
const jobName = t.withDefault(t.nullable(t.shortText), '')

/** Body of `POST /erp/jobdispatch/start`. */
export const startRunInput = t.named(
  'StartRunInput',
  t.withExamples(
    t.object(
      {
        erpJobOperationRunId: runId,
        erpMachineId: Type.String({ maxLength: 200, description: 'The `erpMachineId` in the settings of the machine' }),
        jobName: t.name,
        operationName: jobName,
        lotName: jobName,
        partName: jobName,
        startInSetup: t.withDefault(t.nullable(t.bool), false),
        startAt: t.instantOrNow,
        ...t.nullableProperties({
          dueAt: t.described(
            t.instantOrDate,
            "Used, like the fields below, only if the job is new. An ISO 8601 date-time; or a date, which means 00:00 of that day in the company's time zone",
          ),
          jobOperationDescription: t.longText,
          partValue: t.number,
          quantityRequired: t.int32Number,
          expectedSetupTime: t.described(natural, 'Seconds'),
          idealPartTime: t.described(natural, 'Milliseconds per part'),
          expectedPartTime: t.described(natural, 'Milliseconds per part'),
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
export const stopRunInput = t.named(
  'StopRunInput',
  t.withExamples(t.object({ erpJobOperationRunId: runId, endAt: t.instantOrNow }, ['endAt']), {
    erpJobOperationRunId: exampleIds.jobRun,
    endAt: '2026-03-02T14:00:00.000Z',
  }),
)

/** Body of `POST /erp/jobdispatch/production`. */
export const productionInput = t.named(
  'RunProductionInput',
  t.withExamples(t.object({ erpJobOperationRunId: runId, productionAt: t.instantOrNow }, ['productionAt']), {
    erpJobOperationRunId: exampleIds.jobRun,
    productionAt: '2026-03-02T06:30:00.000Z',
  }),
)

/** Query of `GET /erp/jobdispatch`. */
export const runQuery = t.object({ erpRunId: runId })
