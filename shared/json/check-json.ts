import type { JsonBounds } from './bounds.ts'
import { JsonScan } from './scan-json.ts'

/**
 * Reads UTF-8 JSON once, from the start, and throws a `JsonOutOfBounds` at the first place where it exceeds a bound. Allocates
 * nothing but some numbers for each level. Whether it is JSON at all is for the parser to say: text that is none may pass.
 */
export function checkJson(json: Uint8Array, bounds: JsonBounds): void {
  new JsonScan(json, bounds).advance(Infinity)
}
