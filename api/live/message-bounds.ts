import { mostMachines } from '../../schema/requests/live.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { JsonOutOfBounds } from '../../shared/json/bounds.ts'
import { parseJson } from '../../shared/json/parse-json.ts'

/** Largest message that a client may send, bytes: `set_machines` with as many ids as it takes. */
export const maxMessageBytes = 1_048_576

/** Largest message of a client that has not joined, and is not about to. */
export const maxGuestMessageBytes = 16_384

/** Bounds of a message's JSON. */
const messageBounds: JsonBounds = {
  bytes: maxMessageBytes,
  depth: 16,
  elements: mostMachines,
  keys: 100,
  values: mostMachines + 10_000,
  textBytes: maxGuestMessageBytes,
  keyBytes: 1_000,
}

/** The message's JSON; undefined: invalid, or it exceeds a limit. */
export function parseMessage(text: string): unknown {
  try {
    return parseJson(text, messageBounds)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonOutOfBounds) return undefined
    throw error
  }
}
