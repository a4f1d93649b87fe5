import type { MachineInputs } from './types.ts'

/** An interval `[fromMs, toMs)` of UTC ms, open where it ends at Infinity; empty where it ends no later than it starts. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/** When the machine's time counts at all, given its first sample up to now (null: none). Infinite where nothing bounds it. */
export function commissionedRange(
  { fromMs, createdMs, toMs }: MachineInputs['commissioned'],
  firstSeenMs: number | null,
): Range {
  return { fromMs: fromMs ?? Math.min(createdMs, firstSeenMs ?? Infinity), toMs: toMs ?? Infinity }
}
