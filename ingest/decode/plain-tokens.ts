/** Whether the bytes here are those of an ASCII text. */
export function hasBytes(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** No run of digits of a sample's number is longer, as senders write them. */
const mostDigits = 1_000

/** The end of a number of JSON; -1 where none begins here, or it has very many digits. */
export function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start
  const whole = digitsEnd(bytes, at)
  if (whole === at || (bytes[at] === zero && whole > at + 1)) return -1
  at = whole
  if (bytes[at] === point) {
    const end = digitsEnd(bytes, at + 1)
    if (end === at + 1) return -1
    at = end
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at
  at += bytes[at + 1] === minus || bytes[at + 1] === plus ? 2 : 1
  const end = digitsEnd(bytes, at)
  return end === at ? -1 : end
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start
  const last = start + mostDigits
  while (at < last && isDigit(bytes[at] ?? 0)) at++
  return at
}

/**
 * Whether JavaScript writes the number of JSON that stands here as this same text. False may be wrong. Up to 15 digits come back as they were:
 * https://en.wikipedia.org/wiki/Double-precision_floating-point_format
 */
export function isCanonical(bytes: Uint8Array, numberStart: number, end: number): boolean {
  if (end - numberStart > 16) return false
  const isNegative = bytes[numberStart] === minus
  const start = isNegative ? numberStart + 1 : numberStart
  let pointAt = -1
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === point) pointAt = at
    else if (!isDigit(byte)) return false
  }
  if (pointAt < 0) return end - start <= 15 && !(isNegative && end - start === 1 && bytes[start] === zero)
  return bytes[end - 1] !== zero && !hasBytes(bytes, start, '0.00000')
}

const plus = 0x2b
const minus = 0x2d
const point = 0x2e
const zero = 0x30
