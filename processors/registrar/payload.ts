import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { fault, type FaultCode } from '../../schema/errors.ts'
import type { Fault } from '../../schema/records.ts'
import { isLocalDate, isLocalTime } from '../../shared/time/local-date.ts'
import { isInstant } from '../../shared/time/instant.ts'
import { invalid, maxFaults } from './refusal.ts'

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>

/** A JSON schema with the type of what it lets through; the two are kept alike by hand. */
export interface PayloadSchema<P> {
  readonly schema: Schema
  /** Never there: carries the type alone. */
  readonly payload?: P
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** What virtual entities are called: no record may have these ids. */
const reservedIds = new Set(['none', 'uncategorized', 'setup'])

/** Formats that payloads may name; each is checked strictly. */
const formats = {
  uuid: (text: string) => uuid.test(text),
  id: (text: string) => /^[^\p{Cc}]{1,200}$/u.test(text) && text.trim() === text && !reservedIds.has(text),
  name: (text: string) => text.trim() !== '',
  email: (text: string) => text.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(text),
  instant: isInstant,
  localDate: isLocalDate,
  localTime: isLocalTime,
  timeZone: isTimeZone,
} as const

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats })
const firstFaultOnly = new Ajv({ allowUnionTypes: true, formats })

/**
 * Parses payloads by a schema; throws a `Refusal` with every fault, or where a list is too long, with that one alone. Keys that the
 * schema doesn't name are let through.
 */
export function payloadParser<P>({ schema }: PayloadSchema<P>): (payload: unknown) => P {
  const validate = firstFaultOnly.compile<P>(schema)
  let validateAll: ValidateFunction<P> | undefined
  return payload => {
    if (validate(payload)) return payload
    const tooLong = validate.errors?.filter(({ keyword }) => keyword === 'maxItems') ?? []
    if (tooLong.length > 0) throw invalid(tooLong.map(toFault))
    validateAll ??= ajv.compile<P>(schema)
    validateAll(payload)
    const errors = validateAll.errors ?? []
    throw invalid(errors.slice(0, maxFaults).map(toFault), undefined, Math.max(0, errors.length - maxFaults))
  }
}

/** Whether a text is the IANA name of a time zone. */
export function isTimeZone(text: string): boolean {
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
const dateFormats: ReadonlySet<unknown> = new Set(['instant', 'localDate', 'localTime'])

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
