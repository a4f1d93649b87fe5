import { Malformed } from './malformed.ts'

/** Up to this many bytes a loop is faster than a call. */
const loopBytes = 64

/** Copies bytes of a block to the output; returns the end of the copy. Both ranges must exist. */
export function copyBytes(
  block: Buffer,
  { at, size }: { readonly at: number; readonly size: number },
  output: Buffer,
  to: number,
): number {
  if (size <= loopBytes) for (let index = 0; index < size; index++) output[to + index] = block[at + index] ?? 0
  else block.copy(output, to, at, at + size)
  return to + size
}

/** A copy of bytes that were written before. */
interface BackReference {
  /** First position of the output that may be copied. */
  readonly start: number
  /** Limit of the output. */
  readonly end: number
  readonly to: number
  readonly distance: number
  readonly size: number
}

/**
 * Copies as LZ77 does: source and target may overlap, which repeats the source. Returns the end of the copy. Throws
 * `Malformed`.
 */
export function copyWithin(output: Buffer, { start, end, to, distance, size }: BackReference): number {
  if (distance === 0 || distance > to - start) throw new Malformed('A back reference points before the output')
  if (size > end - to) throw new Malformed('A back reference exceeds the output')
  const from = to - distance
  if (size <= loopBytes) {
    for (let index = 0; index < size; index++) output[to + index] = output[from + index] ?? 0
    return to + size
  }
  // The bytes written so far repeat with the distance as their period: each step copies twice as many.
  for (let done = 0; done < size;) {
    const step = Math.min(size - done, distance + done)
    output.copyWithin(to + done, from, from + step)
    done += step
  }
  return to + size
}
