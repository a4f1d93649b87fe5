import { hasBytes } from './plain-tokens.ts'

/** The fields that a sample or a batch may have, each with its bit in a set of those that were read. */
export const fieldBits = {
  machineId: 1,
  samples: 2,
  timestamp: 4,
  key: 8,
  type: 16,
  subtype: 32,
  value: 64,
  category: 128,
}
/** Fields that each sample has. */
export const neededFields = fieldBits.timestamp | fieldBits.key | fieldBits.type | fieldBits.value
/** A field that is known, or `unknown`. */
export type PlainField = keyof typeof fieldBits | 'unknown'

/** The field whose name begins here, by its first two bytes. */
export function fieldAt(bytes: Uint8Array, at: number): PlainField {
  const field = candidate(bytes[at] ?? 0, bytes[at + 1] ?? 0)
  return hasBytes(bytes, at, field) ? field : 'unknown'
}

function candidate(first: number, second: number): PlainField {
  switch (first) {
    case 0x63:
      return 'category'
    case 0x6b:
      return 'key'
    case 0x6d:
      return 'machineId'
    case 0x73:
      return second === 0x75 ? 'subtype' : 'samples'
    case 0x74:
      return second === 0x69 ? 'timestamp' : 'type'
    case 0x76:
      return 'value'
    default:
      return 'unknown'
  }
}
