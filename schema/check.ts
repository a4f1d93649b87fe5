import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isInstant } from '../shared/time/instant.ts'
import { isLocalDate, isLocalTime } from '../shared/time/local-date.ts'
import { type Fault, fault, type FaultCode } from './errors.ts'
import { type JsonSchema, jsonOf, type Of, type Schema } from './types.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Ids of virtual entities: no record may have them. */
const reservedIds = new Set(['none', 'uncategorized', 'setup'])

/** Formats that payloads may name; each is checked strictly. */
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
} as const

/** The schemas are ours, and tests check them: to compile the schema of schemas would take 50 ms of CPU of each start. */
const options = { allowUnionTypes: true, formats, validateSchema: false } as const
const ajv = new Ajv({ ...options, allErrors: true })
const firstFaultOnly = new Ajv(options)

/** A value that fits its schema, or the first thousand faults of one that does not, and how many others were found. */
export type Checked<T> =
  | { readonly faults: readonly []; readonly value: T }
  | { readonly faults: readonly [Fault, ...Fault[]]; readonly more: number }

/** Maximum number of listed errors. */
const maxFaults = 1000

/**
 * Checks values by a schema: the same check for bodies, queries and payloads. A list that is too long has that fault
 * alone. Keys that the schema doesn't name are let through. The schema is compiled when the first value comes: all of
 * them would take half a second of each start.
 */
export function checkerOf<S extends Schema>(schema: S): (value: unknown) => Checked<Of<S>> {
  let validateFirst: ValidateFunction<Of<S>> | undefined
  let validateAll: ValidateFunction<Of<S>> | undefined
  return value => {
    const validate = (validateFirst ??= firstFaultOnly.compile<Of<S>>(jsonOf(schema)))
    if (validate(value)) return { faults: [], value }
    const tooLong = validate.errors?.filter(({ keyword }) => keyword === 'maxItems') ?? []
    if (tooLong.length === 0) {
      validateAll ??= ajv.compile<Of<S>>(jsonOf(schema))
      validateAll(value)
    }
    const errors = tooLong.length > 0 ? tooLong : withoutRepeats(validateAll?.errors ?? [])
    const [first, ...others] = errors.slice(0, maxFaults).map(toFault)
    if (!first) throw new Error('invariant: what does not fit has a fault')
    return { faults: [first, ...others], more: Math.max(0, errors.length - maxFaults) }
  }
}

/** The first error of a value by a schema; null: it fits. ajv keeps the compiled schema. */
export function firstErrorOf(value: unknown, schema: JsonSchema): ErrorObject | null {
  const validate = firstFaultOnly.compile(schema)
  return validate(value) ? null : (validate.errors?.[0] ?? null)
}

/** Leaves out the fault of a length where the format of the same text is wrong. */
function withoutRepeats(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const wrong = new Set(errors.filter(({ keyword }) => keyword === 'format').map(({ instancePath }) => instancePath))
  return errors.filter(({ keyword, instancePath }) => !(keyword.endsWith('Length') && wrong.has(instancePath)))
}

/** Whether a text is an instant, or a date on which it is after 1970-01-01T00:00Z in every time zone. */
function isInstantOrDate(text: string): boolean {
  return isInstant(text) || (isLocalDate(text) && text > '1970-01-01')
}

/** Whether a text is the IANA name of a time zone. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const codes: Readonly<Record<string, FaultCode>> = {
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

function toFault({ keyword, params, instancePath, message }: ErrorObject): Fault {
  const path = dotted(instancePath)
  if (keyword === 'required') {
    const field = join(path, String(params['missingProperty']))
    return fault(field, 'Required', `${field} is required`)
  }
  const field = path === '' ? 'body' : path
  if (keyword === 'format') {
    const format: unknown = params['format']
    return fault(field, dateFormats.has(format) ? 'InvalidDate' : 'InvalidDataItem', formatMessage(field, format))
  }
  const allowed: unknown = params['allowedValues']
  const detail = Array.isArray(allowed)
    ? `must be one of ${allowed.map(String).join(', ')}`
    : (message ?? 'is not valid')
  return fault(field, codes[keyword] ?? 'InvalidDataItem', `${field} ${detail}`)
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
    default:
      return `${field} is not valid`
  }
}

/** `/versions/0/shifts/1/start` → `versions[0].shifts[1].start` */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '')
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
