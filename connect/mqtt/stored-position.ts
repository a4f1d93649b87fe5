import { createChecker, findFirstError } from '../../schema/check.ts'
import {
  bool,
  type Infer,
  type JsonSchema,
  jsonOf,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
} from '../../schema/types.ts'
import type { Position } from '../positions/position.ts'
import { instantUs, tuple } from '../positions/stored-shapes.ts'
import type { KeyChanges } from './message-stream.ts'

const headSchema = object(
  {
    /** Time of receipt of the last bytes. */
    contactUs: instantUs,
    /** Rate of messages before it. */
    perSecond: number,
    /** Hashes of messages that the broker may send again, oldest first. */
    hashes: list(text),
    /** Number of the last message. */
    received: number,
    /** Subscriptions of the session of the broker. */
    filters: list(text),
  },
  ['received'],
)

/** Part of the position that is written with each change. */
export type Head = Infer<typeof headSchema>

const delivered = object(
  {
    machineId: text,
    key: text,
    type: text,
    subtype: text,
    category: oneOf(['SAMPLE', 'EVENT', 'CONDITION']),
    newestUs: instantUs,
    number: nullable(number),
  },
  ['subtype', 'category'],
)
const state = object(
  {
    sourceUs: instantUs,
    sentUs: instantUs,
    newestUs: instantUs,
    content: text,
    codes: list(tuple(text, text)),
    restateUs: instantUs,
    isRestated: bool,
    isQos0: bool,
  },
  ['codes', 'restateUs', 'isRestated'],
)
/** Schema of `KeyChanges`. */
const keysSchema: JsonSchema = jsonOf(list(tuple(text, tuple(delivered, state))))

const checkHead = createChecker(headSchema)

/** Returns the stored head and keys; null: nothing is stored. A stored position of another shape is lost. */
export function readStored(position: Position): { readonly head: Head; readonly keys: KeyChanges } | null {
  if (position.head === null) return null
  const head = checkHead(position.head)
  const keys: unknown = [...position.state.entries()]
  if ('value' in head && findFirstError(keys, keysSchema) === null)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is that of the type
    return { head: head.value, keys: keys as KeyChanges }
  position.lose()
  return null
}
