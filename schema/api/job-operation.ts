import type { JobOperationRecord, JobTimes, WorkCenter } from '../records.ts'
import {
  id,
  instant,
  type JsonSchema,
  list,
  looseInstant,
  name,
  nullable,
  number,
  object,
  optional,
  partial,
  schema,
  text,
  uuid,
} from './json-schema.ts'
import { thresholds } from './settings.ts'

export type JobOperationAnswer = Omit<JobOperationRecord, 'companyId' | 'ref'>

const amount = { ...number, minimum: 0 } as const
const times = {
  expectedSetupTime: { ...nullable(amount), description: 'Seconds' },
  idealPartTime: { ...nullable(amount), description: 'Milliseconds a part' },
  expectedPartTime: { ...nullable(amount), description: 'Milliseconds a part' },
  partCountMultiplier: nullable(amount),
} as const satisfies Record<keyof JobTimes, JsonSchema>

const workCenter = {
  machineId: nullable(uuid),
  machineGroupId: nullable(id),
  ...times,
} as const satisfies Record<keyof WorkCenter, JsonSchema>

export const jobOperation = schema<JobOperationAnswer>(
  object({
    id: text,
    jobName: text,
    lotName: text,
    operationName: text,
    partName: text,
    description: nullable(text),
    dueAt: nullable(instant),
    partValue: nullable(number),
    quantityRequired: nullable(number),
    ...times,
    workCenters: list(object(workCenter)),
    thresholds: partial(thresholds),
    archivedAt: nullable(instant),
  }),
)

/** Body of `PUT /job-operations/:id`. */
export const jobOperationInput = {
  ...partial({
    ...optional({
      lotName: { type: 'string', maxLength: 200 },
      operationName: { type: 'string', maxLength: 200 },
      partName: { type: 'string', maxLength: 200 },
      description: { type: 'string', maxLength: 4000 },
      dueAt: looseInstant,
      partValue: number,
      quantityRequired: amount,
      ...times,
      workCenters: list(partial(workCenter), {
        maxItems: 1000,
        description: 'What differs on a machine, or on the machines of a group: exactly one of the two ids',
      }),
      thresholds: partial(optional(thresholds)),
      archivedAt: looseInstant,
    }),
    jobName: name,
  }),
  required: ['jobName'],
  examples: [{ jobName: 'J-1001', partName: 'Shaft', idealPartTime: 42_000 }],
}
