import { hourMs } from '../../shared/time/units.ts'
import type { Range } from '../timeline/commission.ts'

/** Range, or instant (an empty range), in which a record determines the content of documents. */
export interface ContentRange extends Range {
  /** Equal if two records have the same effect on documents. */
  readonly content: string
}

/**
 * Returns the ranges in which two versions of a record have different effects: the parts outside their intersection, or
 * both ranges if the contents differ.
 */
export function differingRanges(before: ContentRange | null, after: ContentRange | null): Range[] {
  if (!before || !after || before.content !== after.content || !overlap(before, after))
    return [before, after].flatMap(piece => (piece && piece.fromMs < piece.toMs ? [rangeOf(piece)] : []))
  return [
    { fromMs: Math.min(before.fromMs, after.fromMs), toMs: Math.max(before.fromMs, after.fromMs) },
    { fromMs: Math.min(before.toMs, after.toMs), toMs: Math.max(before.toMs, after.toMs) },
  ].filter(({ fromMs, toMs }) => fromMs < toMs)
}

/** Sorts ranges and joins those in the same hour or in adjacent hours. */
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
