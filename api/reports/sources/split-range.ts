import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'

/** A range by what it is read from: the parts have no instant in common and make up the range. */
export interface SplitRange {
  /** Whole shop days that have documents of their own, ascending. */
  readonly days: readonly TimeRange[]
  /** Runs of whole UTC hours, ascending; where one borders on a shop day, it may begin or end with the part of an hour that is not in it. */
  readonly whole: readonly TimeRange[]
  /** Parts of hours at the ends of the range. The hour that holds now is always cut, as the range ends at now. */
  readonly cut: readonly TimeRange[]
}

/** `days`: shop days in the range that may be read from documents of their own, ascending. */
export function splitRange(range: TimeRange, days: readonly TimeRange[] = []): SplitRange {
  const between = gapsOf(range, days).map(gap => splitGap(gap, range))
  return { days, whole: between.flatMap(({ whole }) => whole), cut: between.flatMap(({ cut }) => cut) }
}

/** The parts of the range that the days, ascending, leave. */
export function gapsOf({ startMs, endMs }: TimeRange, days: readonly TimeRange[]): readonly TimeRange[] {
  const starts = [startMs, ...days.map(day => day.endMs)]
  const ends = [...days.map(day => day.startMs), endMs]
  return notEmpty(...starts.map((from, i) => ({ startMs: from, endMs: ends[i] ?? from })))
}

function splitGap(gap: TimeRange, range: TimeRange): Pick<SplitRange, 'whole' | 'cut'> {
  const startMs = gap.startMs === range.startMs ? Math.ceil(gap.startMs / hourMs) * hourMs : gap.startMs
  const endMs = gap.endMs === range.endMs ? Math.floor(gap.endMs / hourMs) * hourMs : gap.endMs
  if (startMs >= endMs) return { whole: [], cut: [gap] }
  const before = { startMs: gap.startMs, endMs: startMs }
  const after = { startMs: endMs, endMs: gap.endMs }
  return { whole: [{ startMs, endMs }], cut: notEmpty(before, after) }
}

function notEmpty(...ranges: readonly TimeRange[]): readonly TimeRange[] {
  return ranges.filter(({ startMs, endMs }) => startMs < endMs)
}

/** Starts of the UTC hours that a range touches. */
export function slotsOf({ startMs, endMs }: TimeRange): readonly number[] {
  const first = Math.floor(startMs / hourMs)
  return Array.from({ length: Math.ceil(endMs / hourMs) - first }, (_, i) => (first + i) * hourMs)
}
