import { hourMs } from '../../shared/time/units.ts'
import type { Range } from '../timeline/commission.ts'

/** Interval that a record covers: a range, or an instant at which it cuts. */
export interface ContentRange extends Range {
  /** Equal for pieces that count alike. */
  readonly content: string
}

/** Intervals in which two versions of a record differ: the ends outside their intersection, or both whole. */
export function differing(before: ContentRange | null, after: ContentRange | null): Range[] {
  if (!before || !after || before.content !== after.content || !overlap(before, after))
    return [before, after].flatMap(piece => (piece && piece.fromMs < piece.toMs ? [rangeOf(piece)] : []))
  return [
    { fromMs: Math.min(before.fromMs, after.fromMs), toMs: Math.max(before.fromMs, after.fromMs) },
    { fromMs: Math.min(before.toMs, after.toMs), toMs: Math.max(before.toMs, after.toMs) },
  ].filter(({ fromMs, toMs }) => fromMs < toMs)
}

/** Sorted, with those joined that lie in the same or in neighbouring hours. */
export function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const range of ranges.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1)
    if (last && range.fromMs <= last.toMs + hourMs)
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, range.toMs) }
    else joined.push(range)
  }
  return joined
}

function overlap(a: Range, b: Range): boolean {
  return a.fromMs < b.toMs && b.fromMs < a.toMs
}

function rangeOf({ fromMs, toMs }: Range): Range {
  return { fromMs, toMs }
}
