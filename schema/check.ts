import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isInstant } from '../shared/time/instant.ts'
import { isLocalDate, isLocalTime } from '../shared/time/local-date.ts'
import { type FieldError, fieldError, type FieldErrorCode } from './errors.ts'
import * as t from './types.ts'
import { isElementPath, isValuePath } from './value-path.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Ids of virtual entities in reports, which no record may use. */
const reservedIds = new Set(['none', 'uncategorized', 'setup'])

/** Values for `format` in schemas, with their checks. */
export const formats = {
  uuid: (text: string) => uuid.test(text),
  id: (text: string) => /^[^\p{Cc}]{1,200}$/u.test(text) && text.trim() === text && !reservedIds.has(text),
  name: (text: string) => text.trim() !== '',
  email: (text: string) => text.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(text),
  instant: isInstant,
  instantOrDate: isInstantOrDate,
  'date-time': isInstant,
  localDate: isLocalDate,
  localTime: isLocalTime,
  timeZone: isTimeZone,
  valuePath: isValuePath,
  elementPath: isElementPath,
} as const

/**
 * Ajv does not validate the schemas themselves: tests do, and compiling the meta-schema would take 50 ms of CPU time at
 * each start.
 */
const options = { allowUnionTypes: true, formats, validateSchema: false } as const
const ajv = new Ajv({ ...options, allErrors: true })
const stopAtFirstError = new Ajv(options)

/** A valid value, or the first 1,000 field errors of an invalid one and the number of further errors (`more`). */
export type Checked<T> =
  | { readonly errors: readonly []; readonly value: T }
  | { readonly errors: readonly [FieldError, ...FieldError[]]; readonly more: number }

/** Maximum number of listed field errors. */
const maxFieldErrors = 1000

/**
 * Returns a function that validates values by a schema and collects all field errors. Properties that the schema does
 * not name are allowed. If an array is too long, that is the only error: its elements are not checked. The schema is
 * compiled at the first call, because compiling all schemas would take half a second at each start.
 */
export function createChecker<S extends t.Schema>(schema: S): (value: unknown) => Checked<t.Infer<S>> {
  let validateFirst: ValidateFunction<t.Infer<S>> | undefined
  let validateAll: ValidateFunction<t.Infer<S>> | undefined
  return value => {
    const validate = (validateFirst ??= stopAtFirstError.compile<t.Infer<S>>(t.jsonOf(schema)))
    if (validate(value)) return { errors: [], value }
    const tooLong = validate.errors?.filter(({ keyword }) => keyword === 'maxItems') ?? []
    if (tooLong.length === 0) {
      validateAll ??= ajv.compile<t.Infer<S>>(t.jsonOf(schema))
      validateAll(value)
    }
    const errors = tooLong.length > 0 ? tooLong : withoutRedundantErrors(validateAll?.errors ?? [])
    const [first, ...others] = errors.slice(0, maxFieldErrors).map(toFieldError)
    if (!first) throw new Error('Invariant: Ajv rejected a value without reporting an error')
    return { errors: [first, ...others], more: Math.max(0, errors.length - maxFieldErrors) }
  }
}

/** Returns the first error of a value by a schema; null if the value is valid. Ajv caches the compiled schema. */
export function findFirstError(value: unknown, schema: t.JsonSchema): ErrorObject | null {
  const validate = stopAtFirstError.compile(schema)
  return validate(value) ? null : (validate.errors?.[0] ?? null)
}

/** Removes errors of a string's length if the string also has an invalid format. */
function withoutRedundantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const wrong = new Set(errors.filter(({ keyword }) => keyword === 'format').map(({ instancePath }) => instancePath))
  return errors.filter(({ keyword, instancePath }) => !(keyword.endsWith('Length') && wrong.has(instancePath)))
}

/** Returns whether a string is an instant, or a date after 1970-01-01, which is after the epoch in every time zone. */
function isInstantOrDate(text: string): boolean {
  return isInstant(text) || (isLocalDate(text) && text > '1970-01-01')
}

/** Returns whether a string is the IANA name of a time zone. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const codes: Readonly<Record<string, FieldErrorCode>> = {
  required: 'Required',
  type: 'InvalidType',
  enum: 'InvalidEnum',
  minimum: 'OutOfRange',
  maximum: 'OutOfRange',
  exclusiveMinimum: 'OutOfRange',
  minLength: 'OutOfRange',
  maxLength: 'OutOfRange',
  maxItems: 'OutOfRange',
}
const dateFormats: ReadonlySet<unknown> = new Set(['instant', 'instantOrDate', 'localDate', 'localTime'])

function toFieldError({ keyword, params, instancePath, message }: ErrorObject): FieldError {
  const path = toFieldPath(instancePath)
  if (keyword === 'required') {
    const field = join(path, String(params['missingProperty']))
    return fieldError(field, 'Required', `${field} is required`)
  }
  const field = path === '' ? 'body' : path
  if (keyword === 'format') {
    const format: unknown = params['format']
    return fieldError(field, dateFormats.has(format) ? 'InvalidDate' : 'InvalidDataItem', formatMessage(field, format))
  }
  const allowed: unknown = params['allowedValues']
  const detail = Array.isArray(allowed)
    ? `must be one of ${allowed.map(String).join(', ')}`
    : (message ?? 'is not valid')
  return fieldError(field, codes[keyword] ?? 'InvalidDataItem', `${field} ${detail}`)
}

function formatMessage(field: string, format: unknown): string {
  switch (format) {
    case 'instant':
      return `${field} must be an ISO 8601 date-time`
    case 'instantOrDate':
      return `${field} must be an ISO 8601 date-time or a date YYYY-MM-DD`
    case 'localDate':
      return `${field} must be a date YYYY-MM-DD`
    case 'localTime':
      return `${field} must be a time HH:mm`
    case 'timeZone':
      return `${field} must be the name of an IANA time zone`
    case 'name':
      return `${field} must not be empty`
    case 'email':
      return `${field} must be an email address`
    case 'uuid':
      return `${field} must be a UUID`
    case 'valuePath':
      return `${field} must be a path such as $.status["code"], $[0] or @.value`
    case 'elementPath':
      return `${field} must be a path such as $.alarms[*]`
    default:
      return `${field} is not valid`
  }
}

/** Converts a JSON pointer such as `/versions/0/shifts/1/start` to the path `versions[0].shifts[1].start`. */
function toFieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '')
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
