import { alarmInstancesInput, maxAlarmInstances } from '../../../schema/requests/alarm-instances.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import { type Fault, fault, validationError } from '../../../schema/errors.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { type Body, bodyOf, checkFields, conditionsOf, isAbsent } from '../request/check-fields.ts'
import { parseFile } from '../request/parse.ts'
import type { AlarmInstancesRequest, PageStart } from './request.ts'

const conditionNames = reportDimensions.alarm.filters

/** The body of `POST /reports/alarm/instances`. Throws an `ApiError` 400 with every field error; unknown keys are ignored. */
export function parseAlarmInstances(body: unknown): AlarmInstancesRequest {
  const faults: Fault[] = []
  const fields = bodyOf(body, faults)
  if (faults.length > 0) throw validationError(faults)
  const from = parseFrom(fields, faults)
  checkFields(fields, alarmInstancesInput, ['direction', 'orderBy'], faults)
  const orderBy = fields['orderBy'] === 'id' ? 'id' : 'start'
  if (orderBy === 'id' && !isAbsent(fields['start']))
    faults.push(fault('orderBy', 'MutuallyExclusive', "OrderBy 'id' needs startId instead of start"))
  checkFields(fields, alarmInstancesInput, ['limit', 'filter', 'reject', 'format', 'csv'], faults)
  if (faults.length > 0 || !from) throw validationError(faults)
  const file = parseFile(fields)
  return {
    direction: fields['direction'] === 'DESC' ? 'DESC' : 'ASC',
    orderBy,
    limit: Number(fields['limit'] ?? maxAlarmInstances),
    filter: conditionsOf(fields['filter'], conditionNames),
    reject: conditionsOf(fields['reject'], conditionNames),
    from,
    ...(file.csv && { file }),
  }
}

function parseFrom(fields: Body, faults: Fault[]): PageStart | null {
  const { start, startId } = fields
  if (isAbsent(start) === isAbsent(startId)) {
    const message = 'Exactly one of start and startId is required'
    faults.push(fault('start', isAbsent(start) ? 'Required' : 'MutuallyExclusive', message))
    return null
  }
  if (isAbsent(start)) {
    checkFields(fields, alarmInstancesInput, ['startId'], faults)
    return { form: 'startId', startId: Number(startId) }
  }
  const startMs = typeof start === 'string' ? parseInstantMs(start) : null
  if (startMs !== null) return { form: 'start', startMs }
  faults.push(fault('start', 'InvalidDate', 'Start must be an ISO 8601 date-time'))
  return null
}
