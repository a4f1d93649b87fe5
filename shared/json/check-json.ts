import { type JsonBounds, JsonOutOfBounds } from './bounds.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Reads UTF-8 JSON once, from the start, and throws a `JsonOutOfBounds` at the first place where it exceeds a bound. Allocates
 * nothing but a counter for each level. Whether it is JSON at all is for the parser to say: text that is none may pass.
 */
export function checkJson(json: Uint8Array, bounds: JsonBounds): void {
  if (json.length > bounds.bytes) throw new JsonOutOfBounds('bytes', bounds.bytes)
  const end = json.length
  /** Of each level: how many commas it may still hold. */
  const room = new Float64Array(bounds.depth + 1).fill(Infinity)
  const isObject = new Uint8Array(bounds.depth + 1)
  let depth = 0
  let values = 1
  /** Length of the last text, which a colon makes a key. */
  let textBytes = 0
  for (let at = 0; at < end; at++) {
    const byte = json[at]
    if (byte === quote) {
      const start = ++at
      while (at < end && json[at] !== quote) at += json[at] === backslash ? 2 : 1
      textBytes = at - start
      if (textBytes > bounds.textBytes) throw new JsonOutOfBounds('textBytes', bounds.textBytes)
    } else if (byte === comma) {
      const left = (room[depth] ?? 0) - 1
      room[depth] = left
      if (left < 0) throw tooMany(isObject[depth] === 1 ? 'keys' : 'elements', bounds)
      if (++values > bounds.values) throw tooMany('values', bounds)
    } else if (byte === colon) {
      if (textBytes > bounds.keyBytes) throw new JsonOutOfBounds('keyBytes', bounds.keyBytes)
    } else if (byte === openArray || byte === openObject) {
      if (++depth > bounds.depth) throw new JsonOutOfBounds('depth', bounds.depth)
      if (++values > bounds.values) throw tooMany('values', bounds)
      isObject[depth] = byte === openObject ? 1 : 0
      room[depth] = (byte === openObject ? bounds.keys : bounds.elements) - 1
    } else if (byte === closeArray || byte === closeObject) {
      if (depth > 0) depth--
    }
  }
}

function tooMany(bound: keyof JsonBounds, bounds: JsonBounds): JsonOutOfBounds {
  return new JsonOutOfBounds(bound, bounds[bound])
}
