import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from './bounds.ts'
import { checkJson } from './check-json.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * Parses JSON from outside: UTF-8 bytes or a text, a byte order mark allowed. Throws a `JsonOutOfBounds` where it exceeds a bound,
 * before anything is parsed, and a `SyntaxError` if it is not JSON or not UTF-8.
 */
export function parseJson(json: Uint8Array | string, bounds: JsonBounds = defaultJsonBounds): unknown {
  const bytes = typeof json === 'string' ? bytesOf(json, bounds) : json
  checkJson(bytes, bounds)
  return JSON.parse(decodeUtf8(bytes))
}

/** A text that is too long is not even copied. */
function bytesOf(text: string, bounds: JsonBounds): Uint8Array {
  if (text.length > bounds.bytes) throw new JsonOutOfBounds('bytes', bounds.bytes)
  return Buffer.from(text)
}
