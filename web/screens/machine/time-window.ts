/** Part of time that is shown, UTC ms. */
export interface TimeWindow {
  readonly fromMs: number
  readonly toMs: number
}

const secondMs = 1000
const dayMs = 86_400_000
const shortestMs = secondMs
const maxMs = 366 * dayMs

/** Spans that can be chosen. */
export const spans = {
  hour: dayMs / 24,
  shift: dayMs / 3,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  year: 365 * dayMs,
} as const
export type SpanName = keyof typeof spans
export const spanNames = ['hour', 'shift', 'day', 'week', 'month', 'year'] as const satisfies readonly SpanName[]

/** The window with a part of its length more or less around a moment that stays where it is. */
export function zoomed({ fromMs, toMs }: TimeWindow, factor: number, aroundMs: number): TimeWindow {
  const lengthMs = Math.min(Math.max((toMs - fromMs) * factor, shortestMs), maxMs)
  const share = (aroundMs - fromMs) / (toMs - fromMs)
  const startMs = Math.round(aroundMs - share * lengthMs)
  return { fromMs: startMs, toMs: startMs + Math.round(lengthMs) }
}

/** The window moved, but not beyond now. */
export function moved({ fromMs, toMs }: TimeWindow, byMs: number, nowMs: number): TimeWindow {
  const step = Math.round(Math.min(byMs, nowMs - toMs))
  return { fromMs: fromMs + step, toMs: toMs + step }
}

const steps = [
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * secondMs),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * 60 * secondMs),
  ...[1, 2, 3, 6, 12].map(hours => hours * 3600 * secondMs),
  ...[1, 2, 7, 14, 30, 61, 122].map(days => days * dayMs),
] as const

/** Moments to be marked on an axis, at most so many, on round times of a zone; and the step between them. */
export function ticksOf(
  { fromMs, toMs }: TimeWindow,
  most: number,
  aheadMs: (atMs: number) => number,
): { readonly stepMs: number; readonly ticks: readonly number[] } {
  const stepMs = steps.find(step => (toMs - fromMs) / step <= most) ?? 366 * dayMs
  const ticks: number[] = []
  const shiftMs = aheadMs(fromMs)
  for (let at = Math.ceil((fromMs + shiftMs) / stepMs) * stepMs; at - shiftMs <= toMs; at += stepMs) {
    // Where the clocks change, round times are elsewhere from then on.
    const tick = at - (stepMs > 3_600_000 ? aheadMs(at - shiftMs) : shiftMs)
    ticks.push(tick)
  }
  return { stepMs, ticks }
}
