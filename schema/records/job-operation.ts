import * as t from '../types.ts'
import { partialThresholds, thresholdsInput } from './thresholds.ts'

const times = {
  expectedSetupTime: t.withDefault(t.described(t.nullable(t.quantity), 'Seconds'), null),
  idealPartTime: t.withDefault(t.described(t.nullable(t.quantity), 'Milliseconds per part'), null),
  expectedPartTime: t.withDefault(t.described(t.nullable(t.quantity), 'Milliseconds per part'), null),
  partCountMultiplier: t.withDefault(t.nullable(t.quantity), null),
}
const jobTimes = t.object(times)
export type JobTimes = t.Infer<typeof jobTimes>
export const defaultJobTimes: JobTimes = t.defaultsOf(times)
export const timesInput = t.inputSchema(times, {})

/** Exactly one of the two ids is not null. */
const workCenterFields = {
  machineId: t.withDefault(t.nullable(t.uuid), null),
  machineGroupId: t.withDefault(t.nullable(t.id), null),
  ...times,
}
const workCenter = t.named('WorkCenter', t.object(workCenterFields))
export type WorkCenter = t.Infer<typeof workCenter>
export const workCenterInput = t.named('WorkCenterInput', t.inputSchema(workCenterFields, {}))
export type WorkCenterInput = t.Infer<typeof workCenterInput>
export const workCentersInput = t.list(workCenterInput, {
  maxItems: 1000,
  description: 'Values for a machine or for the machines of a group: exactly one of the two ids',
})

const fields = {
  jobName: t.name,
  lotName: t.withDefault(t.shortText, ''),
  operationName: t.withDefault(t.shortText, ''),
  partName: t.withDefault(t.shortText, ''),
  description: t.withDefault(t.nullable(t.longText), null),
  dueAt: t.withDefault(t.nullable(t.instant), null),
  partValue: t.withDefault(t.nullable(t.number), null),
  quantityRequired: t.withDefault(t.nullable(t.number), null),
  ...times,
  workCenters: t.withDefault(t.list(workCenter), []),
  thresholds: t.withDefault(partialThresholds, {}),
  archivedAt: t.withDefault(t.nullable(t.instant), null),
}

export const jobOperation = t.object({ id: t.id, ref: t.int, companyId: t.text, ...fields })
export type JobOperationRecord = t.Infer<typeof jobOperation>

/** Default values of all fields except the names. */
export const defaultJobOperation = t.defaultsOf(fields)

/** Response for a job operation. */
export const jobOperationResponse = t.named('JobOperation', t.without(jobOperation, 'ref', 'companyId'))
export const jobOperationList = t.namedList(jobOperationResponse)
export type JobOperationResponse = t.Infer<typeof jobOperationResponse>

/** Request body for a job operation. */
export const jobOperationInput = t.named(
  'JobOperationInput',
  t.withExamples(
    t.inputSchema(fields, {
      dueAt: t.nullable(t.instantOrDate),
      quantityRequired: t.nullable(t.quantity),
      workCenters: t.nullable(workCentersInput),
      thresholds: thresholdsInput,
    }),
    { jobName: 'J-1001', operationName: '10', partName: 'Shaft', idealPartTime: 42_000 },
  ),
)
