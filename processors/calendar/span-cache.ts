import { dayMs, hourMs } from '../../shared/time/units.ts'
import { appendSpan } from './spans.ts'
import type { CalendarSpan } from './types.ts'

const maxDays = 1024

/** Spans of one UTC day, as a whole and by UTC hour (computed when first used). */
interface DayChunk {
  readonly spans: readonly CalendarSpan[]
  readonly hours: (readonly CalendarSpan[] | undefined)[]
}

/**
 * Creates a function that returns the spans of a range. It computes them one UTC day at a time, and caches the
 * `maxDays` most recently used days.
 */
export function createSpanCache(
  compute: (fromMs: number, toMs: number) => readonly CalendarSpan[],
): (fromMs: number, toMs: number) => readonly CalendarSpan[] {
  const chunks = new Map<number, DayChunk>()
  let last: { day: number; chunk: DayChunk } | null = null

  const chunkOf = (day: number): DayChunk => {
    if (last?.day === day) return last.chunk
    const chunk = chunks.get(day) ?? { spans: compute(day * dayMs, (day + 1) * dayMs), hours: [] }
    // Deleted and inserted again: a Map keeps insertion order, so the first entry is the least recently used.
    chunks.delete(day)
    chunks.set(day, chunk)
    for (const oldest of chunks.keys()) {
      if (chunks.size <= maxDays) break
      chunks.delete(oldest)
    }
    last = { day, chunk }
    return chunk
  }

  const utcHour = (fromMs: number): readonly CalendarSpan[] => {
    const day = Math.floor(fromMs / dayMs)
    const chunk = chunkOf(day)
    const hour = (fromMs - day * dayMs) / hourMs
    return (chunk.hours[hour] ??= cut(chunk.spans, fromMs, fromMs + hourMs))
  }

  return (fromMs, toMs) => {
    if (toMs - fromMs === hourMs && fromMs % hourMs === 0) return utcHour(fromMs)
    const spans: CalendarSpan[] = []
    for (let day = Math.floor(fromMs / dayMs); day * dayMs < toMs; day++)
      for (const span of cut(chunkOf(day).spans, fromMs, toMs)) appendSpan(spans, span)
    return spans
  }
}

function cut(spans: readonly CalendarSpan[], fromMs: number, toMs: number): CalendarSpan[] {
  const found: CalendarSpan[] = []
  for (const span of spans) {
    if (span.endMs <= fromMs) continue
    if (span.startMs >= toMs) break
    const within = span.startMs >= fromMs && span.endMs <= toMs
    found.push(within ? span : { ...span, startMs: Math.max(span.startMs, fromMs), endMs: Math.min(span.endMs, toMs) })
  }
  return found
}
