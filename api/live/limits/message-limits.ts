import { maxMachinesPerConnection } from '../../../schema/requests/live.ts'
import type { JsonBounds } from '../../../shared/json/bounds.ts'
import { JsonOutOfBounds } from '../../../shared/json/bounds.ts'
import { parseJson } from '../../../shared/json/parse-json.ts'

/** Maximum bytes of a client's message: `set_machines` with the maximum number of ids. */
export const maxMessageBytes = 1_048_576

/** Maximum bytes of a message of a client that has not joined and has no join in progress. */
export const maxGuestMessageBytes = 16_384

const messageBounds: JsonBounds = {
  bytes: maxMessageBytes,
  depth: 16,
  elements: maxMachinesPerConnection,
  keys: 100,
  values: maxMachinesPerConnection + 10_000,
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
