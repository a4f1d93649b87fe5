import { findFirstError } from '../../schema/check.ts'
import { bool, jsonOf, list, nullable, number, object, oneOf, text, unsafe } from '../../schema/types.ts'
import type { Position } from '../positions/position.ts'
import type { StoredKey } from './key-state.ts'

/** Limit of the names of a key, UTF-16 units. A name of a sample has at most 256. */
const maxNamesLength = 16_384

/** The values that an SHDR connector has delivered, as plain JSON. */
export interface AdapterPosition {
  /** Receipt of the last byte, UTC µs. */
  readonly contactUs: number
  /** Newest delivered time by machine, UTC µs. */
  readonly newestUs: readonly (readonly [machineId: string, atUs: number])[]
  readonly keys: readonly StoredKey[]
}

const tuple = unsafe<readonly unknown[]>({ type: 'array', minItems: 2, maxItems: 3 })
const positionSchema = jsonOf(
  object({
    contactUs: number,
    newestUs: list(tuple),
    keys: list(
      object({
        machineId: text,
        key: text,
        type: text,
        subtype: text,
        category: oneOf(['SAMPLE', 'EVENT', 'CONDITION']),
        sourceUs: number,
        atUs: number,
        content: text,
        restateUs: nullable(number),
        isMarked: bool,
        codes: list(tuple),
      }),
    ),
  }),
)

/** Returns the stored position; null: nothing is stored. A stored position of another shape is lost. */
export function readAdapterPosition(position: Position): AdapterPosition | null {
  if (position.head === null) return null
  const states = [...position.state.entries()]
  const stored: unknown = {
    ...Object(position.head),
    newestUs: states.filter(([name]) => name.startsWith('machine/')).map(([name, us]) => [name.slice(8), us]),
    keys: states.filter(([name]) => name.startsWith('key/')).map(([, key]) => key),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is that of the type
  if (findFirstError(stored, positionSchema) === null) return stored as AdapterPosition
  position.lose()
  return null
}

/** Stores the changed parts of a position. */
export function storeAdapterChanges(position: Position, { contactUs, newestUs, keys }: AdapterPosition): void {
  position.head = { contactUs }
  for (const [machineId, atUs] of newestUs) position.state.set(`machine/${machineId}`, atUs)
  for (const state of keys) {
    const { machineId, key, type, subtype } = state
    if (key.length + type.length + subtype.length <= maxNamesLength)
      position.state.set(`key/${machineId}/${key}`, state)
  }
}
