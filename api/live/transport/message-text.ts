import type { RawData } from 'ws'
import { decodeUtf8 } from '../../../shared/json/utf8.ts'

/** Returns the size of a message in bytes. */
export function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength
}

/** Returns the text of a message; of a binary message that is not UTF-8, the empty text, which is not JSON. */
export function textOf(data: RawData): string {
  try {
    return decodeUtf8(bytesIn(data))
  } catch (error) {
    if (error instanceof SyntaxError) return ''
    throw error
  }
}

function bytesIn(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : new Uint8Array(data)
}
