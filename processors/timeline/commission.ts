import type { MachineInputs } from './types.ts'

/** Interval `[fromMs, toMs)`, UTC ms; `toMs` may be Infinity. It is empty if `toMs` is not after `fromMs`. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Returns the interval in which the machine's time counts. `firstSeenMs`: time of its first sample so far; null if
 * there is none.
 */
export function commissionedRange(
  { fromMs, createdMs, toMs }: MachineInputs['commissioned'],
  firstSeenMs: number | null,
): Range {
  return { fromMs: fromMs ?? Math.min(createdMs, firstSeenMs ?? Infinity), toMs: toMs ?? Infinity }
}
