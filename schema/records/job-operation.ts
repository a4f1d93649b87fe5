import {
  quantity,
  defaultsOf,
  described,
  id,
  inputSchema,
  instant,
  instantOrDate,
  int,
  list,
  longText,
  name,
  named,
  namedList,
  nullable,
  number,
  object,
  type Infer,
  shortText,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { partialThresholds, thresholdsInput } from './thresholds.ts'

const times = {
  expectedSetupTime: withDefault(described(nullable(quantity), 'Seconds'), null),
  idealPartTime: withDefault(described(nullable(quantity), 'Milliseconds per part'), null),
  expectedPartTime: withDefault(described(nullable(quantity), 'Milliseconds per part'), null),
  partCountMultiplier: withDefault(nullable(quantity), null),
}
const jobTimes = object(times)
export type JobTimes = Infer<typeof jobTimes>
export const defaultJobTimes: JobTimes = defaultsOf(times)
export const timesInput = inputSchema(times, {})

/** Exactly one of the two ids is not null. */
const workCenterFields = {
  machineId: withDefault(nullable(uuid), null),
  machineGroupId: withDefault(nullable(id), null),
  ...times,
}
const workCenter = named('WorkCenter', object(workCenterFields))
export type WorkCenter = Infer<typeof workCenter>
export const workCenterInput = named('WorkCenterInput', inputSchema(workCenterFields, {}))
export type WorkCenterInput = Infer<typeof workCenterInput>
export const workCentersInput = list(workCenterInput, {
  maxItems: 1000,
  description: 'Values for a machine or for the machines of a group: exactly one of the two ids',
})

const fields = {
  jobName: name,
  lotName: withDefault(shortText, ''),
  operationName: withDefault(shortText, ''),
  partName: withDefault(shortText, ''),
  description: withDefault(nullable(longText), null),
  dueAt: withDefault(nullable(instant), null),
  partValue: withDefault(nullable(number), null),
  quantityRequired: withDefault(nullable(number), null),
  ...times,
  workCenters: withDefault(list(workCenter), []),
  thresholds: withDefault(partialThresholds, {}),
  archivedAt: withDefault(nullable(instant), null),
}

export const jobOperation = object({ id, ref: int, companyId: text, ...fields })
export type JobOperationRecord = Infer<typeof jobOperation>

/** Default values of all fields except the names. */
export const defaultJobOperation = defaultsOf(fields)

/** Response for a job operation. */
export const jobOperationResponse = named('JobOperation', without(jobOperation, 'ref', 'companyId'))
export const jobOperationList = namedList(jobOperationResponse)
export type JobOperationResponse = Infer<typeof jobOperationResponse>

/** Request body for a job operation. */
export const jobOperationInput = named(
  'JobOperationInput',
  withExamples(
    inputSchema(fields, {
      dueAt: nullable(instantOrDate),
      quantityRequired: nullable(quantity),
      workCenters: nullable(workCentersInput),
      thresholds: thresholdsInput,
    }),
    { jobName: 'J-1001', operationName: '10', partName: 'Shaft', idealPartTime: 42_000 },
  ),
)
