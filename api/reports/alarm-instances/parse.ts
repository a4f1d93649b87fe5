import { alarmConditionNames, alarmStates, directions, maxAlarmInstances } from '../../../schema/api/alarm-instances.ts'
import { fault, validationError } from '../../../schema/errors.ts'
import type { Fault } from '../../../schema/records.ts'
import { parseDateTime } from '../parse-date.ts'
import { parseFileWish } from '../parse.ts'
import type { AlarmConditionName, AlarmConditions, AlarmInstancesRequest, Direction, PageStart } from './request.ts'

type Body = Readonly<Record<string, unknown>>

/** The body of `POST /reports/alarm/instances`. Throws a ValidationError with every fault found; unknown keys are ignored. */
export function parseAlarmInstances(body: unknown): AlarmInstancesRequest {
  if (!isObject(body)) throw validationError([fault('body', 'InvalidType', 'Body must be an object')])
  const faults: Fault[] = []
  const from = parseFrom(body, faults)
  const rest = {
    direction: parseDirection(body['direction'], faults),
    limit: parseInt32('limit', body['limit'], { from: 1, to: maxAlarmInstances }, faults) ?? maxAlarmInstances,
    filter: parseConditions('filter', body['filter'], faults),
    reject: parseConditions('reject', body['reject'], faults),
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
  const startMs = typeof start === 'string' ? parseDateTime(start) : null
  if (startMs !== null) return { form: 'start', startMs }
  faults.push(fault('start', 'InvalidDate', 'Start must be an ISO 8601 date-time'))
  return null
}

function parseDirection(value: unknown, faults: Fault[]): Direction {
  if (isAbsent(value)) return 'ASC'
  const direction = directions.find(each => each === value)
  if (direction === undefined) faults.push(fault('direction', 'InvalidEnum', `Direction ${shown(value)} is not valid`))
  return direction ?? 'ASC'
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

function parseConditions(field: 'filter' | 'reject', value: unknown, faults: Fault[]): AlarmConditions {
  if (isAbsent(value)) return {}
  if (!isObject(value)) {
    faults.push(fault(field, 'InvalidType', `${title(field)} must be an object`))
    return {}
  }
  const conditions: Partial<Record<AlarmConditionName, readonly string[]>> = {}
  for (const [key, given] of Object.entries(value)) {
    const name = alarmConditionNames.find(each => each === key)
    if (name === undefined) faults.push(fault(field, 'InvalidFilter', `${title(field)} ${shown(key)} is not valid`))
    else {
      const values = parseValues(`${field}.${name}`, name, given, faults)
      if (values.length > 0) conditions[name] = values
    }
  }
  return conditions
}

/** Texts; those that are ints may come as numbers. */
function parseValues(field: string, name: AlarmConditionName, given: unknown, faults: Fault[]): readonly string[] {
  if (isAbsent(given)) return []
  if (!Array.isArray(given) || !given.every(each => typeof each === 'string' || Number.isSafeInteger(each))) {
    faults.push(fault(field, 'InvalidType', `${title(field)} must be an array of strings`))
    return []
  }
  const values = [...new Set(given.map(String))]
  if (name !== 'state') return values
  const states: readonly string[] = alarmStates
  for (const value of values)
    if (!states.includes(value)) faults.push(fault(field, 'InvalidEnum', `State ${shown(value)} is not valid`))
  return values
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value of the caller in a message, at a length fit to read. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return `'${text.length > 100 ? `${text.slice(0, 100)}…` : text}'`
}

function title(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}`
}
