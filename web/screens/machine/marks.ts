import type { TimeWindow } from './time-window.ts'

/** Something that a lane shows. */
export interface Mark {
  readonly startMs: number
  readonly endMs: number
  /** Title of its entry in the legend; marks with equal ones have the same colour. */
  readonly kind: string
  /** Share of its time, where a step has several. */
  readonly share: number
  readonly title: string
  readonly fill: string
  /** Whether the text stands on `fill`. */
  readonly isTinted: boolean
}

/** An entry of a legend: a kind of marks with its colour and total duration. */
interface LegendEntry {
  readonly kind: string
  readonly fill: string
  readonly totalMs: number
}

/**
 * Kinds of the marks of a lane with their time in the window, the greatest total first. Time of several marks of a kind,
 * as of alarms, counts once.
 */
export function legendOf(marks: readonly Mark[], { fromMs, toMs }: TimeWindow): readonly LegendEntry[] {
  const entries = new Map<string, LegendEntry>()
  /** End of the whole marks of each kind so far. */
  const ends = new Map<string, number>()
  for (const { kind, fill, startMs, endMs, share } of marks.toSorted((a, b) => a.startMs - b.startMs)) {
    // The shares of a step have its whole time, and are added.
    const countedMs = share < 1 ? -Infinity : (ends.get(kind) ?? -Infinity)
    const shownMs = Math.min(endMs, toMs) - Math.max(startMs, fromMs, countedMs)
    if (shownMs <= 0) continue
    if (share === 1) ends.set(kind, endMs)
    const totalMs = (entries.get(kind)?.totalMs ?? 0) + shownMs * share
    entries.set(kind, { kind, fill, totalMs })
  }
  return [...entries.values()].toSorted((a, b) => b.totalMs - a.totalMs)
}

/** Marks at a moment, the greatest share first. */
export function marksAt(marks: readonly Mark[], atMs: number): readonly Mark[] {
  return marks.filter(({ startMs, endMs }) => startMs <= atMs && atMs < endMs).sort((a, b) => b.share - a.share)
}
