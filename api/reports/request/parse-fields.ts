import { mostNames } from '../../../schema/requests/report.ts'
import { type Fault, fault } from '../../../schema/errors.ts'
import { alarmStates, type FilterName } from '../../../schema/groupings.ts'
import { addNotValid } from './not-valid.ts'

/** A JSON object with unknown keys. */
export type Body = Readonly<Record<string, unknown>>

/** Checks that the body is an object; otherwise adds an error and returns an empty object. */
export function bodyOf(body: unknown, faults: Fault[]): Body {
  if (isObject(body)) return body
  faults.push(fault('body', 'InvalidType', 'Body must be an object'))
  return {}
}

/** Values by dimension, of those that are known; a dimension without values is missing. */
export function parseConditions<Name extends FilterName>(
  field: 'filter' | 'reject',
  known: readonly Name[],
  value: unknown,
  faults: Fault[],
): { readonly [Each in Name]?: readonly string[] } {
  const conditions: { [Each in Name]?: readonly string[] } = {}
  if (isAbsent(value)) return conditions
  if (!isObject(value)) {
    faults.push(fault(field, 'InvalidType', `${title(field)} must be an object`))
    return conditions
  }
  for (const [key, given] of Object.entries(value)) {
    const name = known.find(each => each === key)
    if (name === undefined) addNotValid(faults, { field, code: 'InvalidFilter', noun: title(field), value: key }, known)
    else {
      const values = parseIds(`${field}.${name}`, given, faults, name === 'state' ? mostNames : undefined)
      if (name === 'state') refuseUnknownStates(`${field}.${name}`, values, faults)
      if (values.length > 0) conditions[name] = values
    }
  }
  return conditions
}

/** Ids are strings; those that are ints may come as numbers. */
function parseIds(field: string, value: unknown, faults: Fault[], most?: number): readonly string[] {
  const ids = parseList(field, value, faults, most)
  if (ids.every(id => typeof id === 'string' || Number.isSafeInteger(id))) return [...new Set(ids.map(String))]
  faults.push(fault(field, 'InvalidType', `${title(field)} must hold strings only`))
  return []
}

function refuseUnknownStates(field: string, values: readonly string[], faults: Fault[]): void {
  const states: readonly string[] = alarmStates
  for (const value of values)
    if (!states.includes(value)) addNotValid(faults, { field, code: 'InvalidEnum', noun: 'State', value }, states)
}

/** false unless given. */
export function parseFlag(field: string, value: unknown, faults: Fault[]): boolean {
  if (isAbsent(value)) return false
  if (typeof value === 'boolean') return value
  faults.push(fault(field, 'InvalidType', `${title(field)} must be a boolean`))
  return false
}

/** Empty unless given. */
export function parseList(
  field: string,
  value: unknown,
  faults: Fault[],
  most: number = Number.POSITIVE_INFINITY,
): readonly unknown[] {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) {
    if (value.length <= most) return value
    faults.push(fault(field, 'OutOfRange', `${title(field)} must have at most ${most} elements`))
    return []
  }
  faults.push(fault(field, 'InvalidType', `${title(field)} must be an array`))
  return []
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field's name as a message begins with it. */
export function title(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}`
}
