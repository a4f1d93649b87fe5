import { findFirstError } from '../../../schema/check.ts'
import { type FieldError, fieldError, type FieldErrorCode } from '../../../schema/errors.ts'
import { type JsonSchema, jsonOf, type Schema } from '../../../schema/types.ts'
import { nearest } from '../../http/warnings.ts'

/** A JSON object with unknown keys. */
export type Body = Readonly<Record<string, unknown>>

/** Code and message of the errors of a field, by the keyword of ajv. */
const messagesByKeyword: Readonly<Record<string, (schema: JsonSchema) => readonly [FieldErrorCode, string]>> = {
  type: ({ type }) => ['InvalidType', `must be ${typeNames[String([type].flat()[0])] ?? 'of another type'}`],
  format: ({ format }) => ['InvalidDate', `is not a valid ${format === 'localDate' ? 'date' : 'date-time'}`],
  minItems: () => ['Required', 'must name at least one metric'],
  maxItems: ({ maxItems }) => ['OutOfRange', `must have at most ${Number(maxItems)} elements`],
  minimum: between,
  maximum: between,
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  object: 'an object',
  string: 'a string',
}

/** Arrays of names: what an element names, the property with the name, and the code of the error of a name that is not valid. */
const nameLists: Readonly<
  Record<string, { readonly noun: string; readonly property: string; readonly code: FieldErrorCode }>
> = {
  data: { noun: 'Metric', property: 'metric', code: 'InvalidDataItem' },
  groupBy: { noun: 'Group', property: 'group', code: 'InvalidGroup' },
}

function between({ minimum, maximum }: JsonSchema): readonly [FieldErrorCode, string] {
  return ['OutOfRange', `must be between ${Number(minimum)} and ${Number(maximum)}`]
}

/** Checks that the body is an object; otherwise adds an error and returns an empty object. */
export function bodyOf(body: unknown, errors: FieldError[]): Body {
  if (isObject(body)) return body
  errors.push(fieldError('body', 'InvalidType', 'Body must be an object'))
  return {}
}

/** Adds the errors of the fields of a body by its schema; fields that the schema does not name have none. */
export function checkFields(body: Body, schema: Schema, fields: readonly string[], errors: FieldError[]): void {
  const { properties, required } = jsonOf(schema)
  for (const field of fields) {
    const property = isObject(properties) ? properties[field] : null
    if (!isObject(property)) continue
    if (!isAbsent(body[field])) checkField(field, body[field], property, errors)
    else if (Array.isArray(required) && required.includes(field)) addError(field, 'minItems', property, errors)
  }
}

function checkField(field: string, value: unknown, schema: JsonSchema, errors: FieldError[]): void {
  const error = findFirstError(value, schema)
  if (error === null) return
  const names = findNames(schema)
  if (names) addNotValid(errors, { field, code: 'InvalidEnum', noun: title(field), value }, names)
  else if (isObject(schema['properties']) && isObject(value))
    checkConditions(field, value, schema['properties'], errors)
  else if (Array.isArray(value) && isObject(schema['items']) && error.instancePath !== '')
    checkElements(field, value, schema['items'], errors)
  else addError(field, error.keyword, schema, errors)
}

function addError(field: string, keyword: string, schema: JsonSchema, errors: FieldError[]): void {
  const [code, message] = messagesByKeyword[keyword]?.(schema) ?? (['InvalidType', 'is not valid'] as const)
  errors.push(fieldError(field, code, `${title(field)} ${message}`))
}

function checkConditions(field: string, conditions: Body, properties: JsonSchema, errors: FieldError[]): void {
  for (const [name, value] of Object.entries(conditions)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : null
    if (!isObject(property))
      addNotValid(errors, { field, code: 'InvalidFilter', noun: title(field), value: name }, Object.keys(properties))
    else if (!isAbsent(value)) {
      // Ids are strings; those that are integers may come as numbers.
      const ids = Array.isArray(value)
        ? value.map((id: unknown) => (Number.isSafeInteger(id) ? String(id) : id))
        : value
      checkField(`${field}.${name}`, ids, property, errors)
    }
  }
}

function checkElements(field: string, elements: readonly unknown[], schema: JsonSchema, errors: FieldError[]): void {
  const names = findNames(schema) ?? []
  const list = nameLists[field]
  if (list) {
    for (const element of elements)
      if (findFirstError(element, schema))
        addNotValid(errors, { field, ...list, value: nameOf(element, list.property) }, names)
  } else if (names.length > 0 && elements.every(element => typeof element === 'string')) {
    for (const value of new Set(elements))
      if (!names.includes(value)) addNotValid(errors, { field, code: 'InvalidEnum', noun: 'State', value }, names)
  } else errors.push(fieldError(field, 'InvalidType', `${title(field)} must hold strings only`))
}

/** The names that a schema lists, or its last variant does; null: it lists none. */
function findNames({ enum: names, anyOf }: JsonSchema): readonly string[] | null {
  if (Array.isArray(anyOf)) return isObject(anyOf.at(-1)) ? findNames(anyOf.at(-1)) : null
  return Array.isArray(names) ? names.filter(name => typeof name === 'string') : null
}

/** The names of an array: an element is `{metric: "oee"}`, or `"oee"` for short. */
export function namesOf(list: unknown, property: string): readonly unknown[] {
  return Array.isArray(list) ? list.map((element: unknown) => nameOf(element, property)) : []
}

function nameOf(element: unknown, property: string): unknown {
  return isObject(element) ? element[property] : typeof element === 'string' ? element : undefined
}

/** The values by dimension of checked conditions; a dimension without values is missing. */
export function conditionsOf<Name extends string>(
  conditions: unknown,
  known: readonly Name[],
): { readonly [Each in Name]?: readonly string[] } {
  const result: { [Each in Name]?: readonly string[] } = {}
  for (const name of known) {
    const values = isObject(conditions) ? conditions[name] : null
    if (Array.isArray(values) && values.length > 0) result[name] = [...new Set(values.map(String))]
  }
  return result
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field's name as a message begins with it. */
export function title(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}`
}

/** Number of errors with a hint: a response shows no more of them. */
const maxHints = 20
/** Length of the names in a hint, UTF-16 units. */
const maxNamesLength = 1_200

/** Adds the error of a name that is not valid, with the valid names and the most similar one. */
function addNotValid(
  errors: FieldError[],
  { field, code, noun, value }: { field: string; code: FieldErrorCode; noun: string; value: unknown },
  valid: readonly string[],
): void {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  let message = `${noun} '${text.length > 100 ? `${text.slice(0, 100)}…` : text}' is not valid`
  if (errors.length < maxHints) {
    const list = valid.join(', ')
    const names = list.length <= maxNamesLength ? list : `${list.slice(0, list.lastIndexOf(',', maxNamesLength))}, …`
    const similar = typeof value === 'string' ? nearest(value, valid) : null
    message += similar === null ? `; valid are ${names}` : `; did you mean ${similar}? Valid are ${names}`
  }
  errors.push(fieldError(field, code, message))
}
