import {
  quantity,
  defaultsOf,
  described,
  id,
  inputOf,
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
  type Of,
  shortText,
  text,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'
import { someThresholds, thresholdsInput } from './thresholds.ts'

const times = {
  expectedSetupTime: withDefault(described(nullable(quantity), 'Seconds'), null),
  idealPartTime: withDefault(described(nullable(quantity), 'Milliseconds per part'), null),
  expectedPartTime: withDefault(described(nullable(quantity), 'Milliseconds per part'), null),
  partCountMultiplier: withDefault(nullable(quantity), null),
}
const jobTimes = object(times)
export type JobTimes = Of<typeof jobTimes>
export const noTimes: JobTimes = defaultsOf(times)
export const timesInput = inputOf(times, {})

/** Exactly one of the two ids is set. */
const workCenterFields = {
  machineId: withDefault(nullable(uuid), null),
  machineGroupId: withDefault(nullable(id), null),
  ...times,
}
const workCenter = named('WorkCenter', object(workCenterFields))
export type WorkCenter = Of<typeof workCenter>
export const workCenterInput = named('WorkCenterInput', inputOf(workCenterFields, {}))
export type WorkCenterInput = Of<typeof workCenterInput>
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
  thresholds: withDefault(someThresholds, {}),
  archivedAt: withDefault(nullable(instant), null),
}

export const jobOperation = object({ id, ref: int, companyId: text, ...fields })
export type JobOperationRecord = Of<typeof jobOperation>

/** A job operation of which no more is known than its names. */
export const defaultJobOperation = defaultsOf(fields)

/** Response for a job operation. */
export const jobOperationAnswer = named('JobOperation', without(jobOperation, 'ref', 'companyId'))
export const jobOperationList = namedList(jobOperationAnswer)
export type JobOperationAnswer = Of<typeof jobOperationAnswer>

/** A job operation as a caller sends it. */
export const jobOperationInput = named(
  'JobOperationInput',
  withExamples(
    inputOf(fields, {
      dueAt: nullable(instantOrDate),
      quantityRequired: nullable(quantity),
      workCenters: nullable(workCentersInput),
      thresholds: thresholdsInput,
    }),
    { jobName: 'J-1001', operationName: '10', partName: 'Shaft', idealPartTime: 42_000 },
  ),
)
