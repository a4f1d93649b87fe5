import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from './bounds.ts'
import { checkJson } from './check-json.ts'

/**
 * Parses JSON from outside: UTF-8 bytes or a text, a byte order mark allowed. Throws a `JsonOutOfBounds` where it exceeds a bound,
 * before anything is made of it, and a `SyntaxError` where it is no JSON.
 */
export function parseJson(json: Uint8Array | string, bounds: JsonBounds = defaultJsonBounds): unknown {
  const bytes = typeof json === 'string' ? bytesOf(json, bounds) : json
  checkJson(bytes, bounds)
  return JSON.parse(decoder.decode(bytes))
}

const decoder = new TextDecoder()

/** A text that is too long is not even copied. */
function bytesOf(text: string, bounds: JsonBounds): Uint8Array {
  if (text.length > bounds.bytes) throw new JsonOutOfBounds('bytes', bounds.bytes)
  return Buffer.from(text)
}
