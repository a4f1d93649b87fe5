import { createHash } from 'node:crypto'
import { ownCopy } from '../../shared/own-copy.ts'

/** Maximum bytes of a UTF-16 unit in JSON. */
const maxUnitBytes = 6

/** Returns a text that a position contains; instead of one that needs more bytes as JSON, its digest. */
export function storedText(text: string, maxBytes: number): string {
  if (text.length * maxUnitBytes <= maxBytes || Buffer.byteLength(JSON.stringify(text)) <= maxBytes)
    return ownCopy(text)
  return `#${createHash('sha256').update(text).digest('base64')}`
}
