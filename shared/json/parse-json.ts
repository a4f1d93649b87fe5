import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from './bounds.ts'
import { JsonScan } from './scan-json.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * Parses untrusted JSON: UTF-8 bytes or a string, optionally with a byte order mark. Throws a `JsonOutOfBounds` if it
 * exceeds a limit, before parsing, and a `SyntaxError` if it is not JSON or not UTF-8.
 */
export function parseJson(json: Uint8Array | string, bounds: JsonBounds = defaultJsonBounds): unknown {
  const bytes = typeof json === 'string' ? bytesOf(json, bounds) : json
  if (!isSmall(bytes, bounds)) new JsonScan(bytes, bounds).advance(Infinity)
  return JSON.parse(decodeUtf8(bytes))
}

/** Whether JSON has too few bytes to exceed a limit, and too few opening brackets. A scan of such JSON takes longer than its parser. */
function isSmall(json: Uint8Array, { bytes, depth, elements, keys, values, textBytes, keyBytes }: JsonBounds): boolean {
  if (json.length > Math.min(bytes, elements, keys, values, textBytes, keyBytes)) return false
  let openings = 0
  for (const byte of json) if (byte === openArray || byte === openObject) openings++
  return openings <= depth
}

const openArray = 0x5b
const openObject = 0x7b

/** Encodes a string as UTF-8; rejects a string that is too long before copying it. */
function bytesOf(text: string, bounds: JsonBounds): Uint8Array {
  if (text.length > bounds.bytes) throw new JsonOutOfBounds('bytes', bounds.bytes)
  return Buffer.from(text)
}
