import {
  int,
  type JsonSchema,
  jsonOf,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Schema,
  text,
  unsafe,
} from '../../schema/types.ts'

/** Instant in UTC µs, within the years that a date can have. */
const instantUs = unsafe<number>({ type: 'number', minimum: -8e18, maximum: 8e18 })

function tuple(...items: readonly Schema[]): Schema {
  const json = { type: 'array', items, minItems: items.length, maxItems: items.length }
  return unsafe<readonly unknown[]>(json)
}

const activeCondition = object({
  code: text,
  level: oneOf(['WARNING', 'FAULT']),
  nativeSeverity: text,
  qualifier: text,
  message: text,
})

const item = object(
  {
    id: text,
    machineIds: list(text),
    keys: list(text),
    type: text,
    subtype: text,
    category: oneOf(['SAMPLE', 'EVENT', 'CONDITION']),
    lastUs: instantUs,
    restateUs: instantUs,
    active: list(tuple(text, activeCondition)),
    recent: list(tuple(number, text)),
    entries: nullable(list(tuple(text, text))),
  },
  ['lastUs', 'restateUs', 'active', 'recent', 'entries'],
)

/** Schema of a `StreamPosition`. */
export const streamPositionSchema: JsonSchema = jsonOf(
  object({
    instanceId: text,
    restarts: int,
    next: text,
    contactUs: instantUs,
    newestUs: list(tuple(text, instantUs)),
    keys: list(tuple(text, text, text)),
    items: list(item),
  }),
)
