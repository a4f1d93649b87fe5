import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'
import type { FloorMachine } from './floor-machine.ts'

/** A clock time is of today or of the last evening: an earlier one needs its day. */
const clockOnlyMs = 20 * 3_600_000

/** Start of a machine's stop, otherwise of its status (UTC ms); null: not known. */
export function sinceMsOf({ now, stop }: Pick<FloorMachine, 'now' | 'stop'>): number | null {
  return stop?.sinceMs ?? now.sinceMs
}

/** "since 22:58 · 12 min", with seconds if there is room; an earlier day has its name instead of the duration. */
export function sinceText(
  sinceMs: number,
  nowMs: number,
  { t, format }: { readonly t: Texts; readonly format: Format },
  hasSeconds = false,
): string {
  const lengthMs = Math.max(0, nowMs - sinceMs)
  if (lengthMs >= clockOnlyMs) return t.floor.sinceAt(format.hour(sinceMs))
  return `${t.floor.sinceAt(format.clock(sinceMs))} · ${hasSeconds ? format.duration(lengthMs) : format.minutes(lengthMs)}`
}
