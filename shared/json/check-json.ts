import type { JsonBounds } from './bounds.ts'
import { JsonScan } from './scan-json.ts'

/**
 * Scans UTF-8 JSON once and throws a `JsonOutOfBounds` at the first position that exceeds a limit. Allocates only a few
 * numbers per level. It does not check the syntax: invalid JSON may pass, and the parser rejects it.
 */
export function checkJson(json: Uint8Array, bounds: JsonBounds): void {
  new JsonScan(json, bounds).advance(Infinity)
}
