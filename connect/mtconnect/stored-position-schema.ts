import { int, type JsonSchema, jsonOf, list, nullable, number, object, oneOf, text } from '../../schema/types.ts'
import { instantUs, tuple } from '../positions/stored-shapes.ts'

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
  object(
    {
      instanceId: text,
      restarts: int,
      next: text,
      contactUs: instantUs,
      repeatFrom: text,
      newestUs: list(tuple(text, instantUs)),
      keys: list(tuple(text, text, text)),
      items: list(item),
    },
    ['repeatFrom'],
  ),
)
