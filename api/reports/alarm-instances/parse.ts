import { directions, maxAlarmInstances, orders } from '../../../schema/requests/alarm-instances.ts'
import { reportDimensions } from '../../../schema/groupings.ts'
import { type Fault, fault, validationError } from '../../../schema/errors.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { parseFileWish } from '../request/parse.ts'
import { type Body, isAbsent, isObject, parseConditions, title } from '../request/parse-fields.ts'
import { addNotValid } from '../request/not-valid.ts'
import type { AlarmInstancesRequest, PageDirection, Order, PageStart } from './request.ts'

const conditionNames = reportDimensions.alarm.filters

/** The body of `POST /reports/alarm/instances`. Throws a ValidationError with every fault found; unknown keys are ignored. */
export function parseAlarmInstances(body: unknown): AlarmInstancesRequest {
  if (!isObject(body)) throw validationError([fault('body', 'InvalidType', 'Body must be an object')])
  const faults: Fault[] = []
  const from = parseFrom(body, faults)
  const rest = {
    direction: parseDirection(body['direction'], faults),
    orderBy: parseOrder(body, faults),
    limit: parseInt32('limit', body['limit'], { from: 1, to: maxAlarmInstances }, faults) ?? maxAlarmInstances,
    filter: parseConditions('filter', conditionNames, body['filter'], faults),
    reject: parseConditions('reject', conditionNames, body['reject'], faults),
  }
  const file = parseFileWish(body, faults)
  if (faults.length > 0 || !from) throw validationError(faults)
  return { ...rest, from, ...(file.csv && { file }) }
}

function parseFrom({ start, startId }: Body, faults: Fault[]): PageStart | null {
  if (isAbsent(start) === isAbsent(startId)) {
    const message = 'Exactly one of start and startId is required'
    faults.push(fault('start', isAbsent(start) ? 'Required' : 'MutuallyExclusive', message))
    return null
  }
  if (isAbsent(start)) {
    const id = parseInt32('startId', startId, { from: -(2 ** 31), to: 2 ** 31 - 1 }, faults)
    return id === null ? null : { form: 'startId', startId: id }
  }
  const startMs = typeof start === 'string' ? parseInstantMs(start) : null
  if (startMs !== null) return { form: 'start', startMs }
  faults.push(fault('start', 'InvalidDate', 'Start must be an ISO 8601 date-time'))
  return null
}

function parseDirection(value: unknown, faults: Fault[]): PageDirection {
  if (isAbsent(value)) return 'ASC'
  const direction = directions.find(each => each === value)
  if (direction === undefined)
    addNotValid(faults, { field: 'direction', code: 'InvalidEnum', noun: 'Direction', value }, directions)
  return direction ?? 'ASC'
}

function parseOrder({ orderBy, start }: Body, faults: Fault[]): Order {
  if (isAbsent(orderBy)) return 'start'
  const order = orders.find(each => each === orderBy)
  if (order === undefined)
    addNotValid(faults, { field: 'orderBy', code: 'InvalidEnum', noun: 'OrderBy', value: orderBy }, orders)
  if (order === 'id' && !isAbsent(start))
    faults.push(fault('orderBy', 'MutuallyExclusive', "OrderBy 'id' needs startId instead of start"))
  return order ?? 'start'
}

function parseInt32(
  field: string,
  value: unknown,
  { from, to }: { readonly from: number; readonly to: number },
  faults: Fault[],
): number | null {
  if (isAbsent(value)) return null
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    faults.push(fault(field, 'InvalidType', `${title(field)} must be an integer`))
    return null
  }
  if (value >= from && value <= to) return value
  faults.push(fault(field, 'OutOfRange', `${title(field)} must be between ${from} and ${to}`))
  return null
}
