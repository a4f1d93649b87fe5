/**
 * Sequence number of an observation: an integer of 64 bits without sign. It is a bigint only above 2^53 - 1; numbers and
 * bigints compare exactly.
 */
export type Sequence = number | bigint

/** Parses a sequence number; null: the text is not an integer of at most 64 bits. */
export function parseSequence(text: string): Sequence | null {
  if (!/^\d{1,20}$/.test(text)) return null
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  const big = BigInt(text)
  return big < 1n << 64n ? big : null
}

/** Adds an integer to a sequence number. */
export function addToSequence(sequence: Sequence, by: number): Sequence {
  if (typeof sequence === 'number' && Number.isSafeInteger(sequence + by)) return sequence + by
  const sum = BigInt(sequence) + BigInt(by)
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : sum
}

/** Number of sequence numbers from one up to another, at least 0. */
export function countBetween(from: Sequence, to: Sequence): number {
  return to > from ? Number(BigInt(to) - BigInt(from)) : 0
}

/** Compares sequence numbers. */
export function compareSequences(a: Sequence, b: Sequence): number {
  return a < b ? -1 : a > b ? 1 : 0
}
