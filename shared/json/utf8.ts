import { isUtf8 } from 'node:buffer'

/**
 * Decodes untrusted JSON and removes a byte order mark at its start. JSON is UTF-8 (RFC 8259, section 8.1): throws a
 * `SyntaxError` for other bytes, because replacing them by U+FFFD would make different texts equal.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decode(whole, bytes)
}

/** Decodes a part of JSON as `decodeUtf8` does, but keeps byte order marks as characters. */
export function decodeUtf8Part(bytes: Uint8Array): string {
  return decode(part, bytes)
}

/** Returns why JSON cannot be parsed, for an error response. */
export function jsonProblem(bytes: Uint8Array): string {
  return jsonProblems[isUtf8(bytes) ? 0 : 1]
}

export const jsonProblems = ['Problem parsing JSON', 'Problem parsing JSON: it is not valid UTF-8'] as const

const whole = new TextDecoder('utf-8', { fatal: true })
const part = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(decoder: typeof whole, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw new SyntaxError('JSON is not valid UTF-8', { cause: error })
    throw error
  }
}
