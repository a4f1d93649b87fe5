import { bool, instant, int, looseInstant, name, nullable, number, object, partial, schema } from './json-schema.ts'

/** A job run, as an ERP asks for it. */
export interface JobRunAnswer {
  readonly startAt: string
  /** When it ended, or will; null: not before it is told, or another run starts on the machine. */
  readonly endAt: string | null
  readonly metrics: JobRunParts
}

/** Whole numbers: `totalParts` is the sum of the others. */
export interface JobRunParts {
  readonly totalParts: number
  readonly goodParts: number
  readonly scrapParts: number
  readonly nonconformParts: number
}

export const jobRun = schema<JobRunAnswer>(
  object({
    startAt: instant,
    endAt: nullable(instant),
    metrics: object({ totalParts: int, goodParts: int, scrapParts: int, nonconformParts: int }),
  }),
)

const runId = { type: 'string', minLength: 1, maxLength: 200, description: "The ERP's own id of the run" } as const
const jobName = { type: 'string', maxLength: 200, default: '' } as const
const natural = { ...int, minimum: 0, maximum: 2_147_483_647 } as const
const now = { ...nullable(looseInstant), description: 'ISO 8601 date-time; now unless given' }

/** Body of `POST /erp/jobdispatch/start`. */
export const startRunInput = {
  ...partial({
    erpJobOperationRunId: runId,
    erpMachineId: { type: 'string', maxLength: 200, description: 'As the machine has it in its settings' },
    jobName: name,
    operationName: nullable(jobName),
    lotName: nullable(jobName),
    partName: nullable(jobName),
    startInSetup: { ...nullable(bool), default: false },
    startAt: now,
    dueAt: { ...nullable(looseInstant), description: 'This and what follows counts only where the job is new' },
    jobOperationDescription: nullable({ type: 'string', maxLength: 4000 }),
    partValue: nullable(number),
    quantityRequired: nullable({ ...int, minimum: -2_147_483_648, maximum: 2_147_483_647 }),
    expectedSetupTime: { ...nullable(natural), description: 'Seconds' },
    idealPartTime: { ...nullable(natural), description: 'Milliseconds a part' },
    expectedPartTime: { ...nullable(natural), description: 'Milliseconds a part' },
  }),
  required: ['erpJobOperationRunId', 'erpMachineId', 'jobName'],
}

/** Body of `POST /erp/jobdispatch/stop`. */
export const stopRunInput = {
  ...partial({ erpJobOperationRunId: runId, endAt: now }),
  required: ['erpJobOperationRunId'],
}

/** Body of `POST /erp/jobdispatch/production`. */
export const productionInput = {
  ...partial({ erpJobOperationRunId: runId, productionAt: now }),
  required: ['erpJobOperationRunId'],
}

/** Query of `GET /erp/jobdispatch`. */
export const runQuery = schema<{ readonly erpRunId: string }>(object({ erpRunId: runId }))
