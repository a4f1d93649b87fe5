import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'
import type { FloorMachine } from './floor-machine.ts'

/** A clock time is of today or of the last evening: an earlier one needs its day. */
const clockOnlyMs = 20 * 3_600_000

/** Start of a machine's stop, otherwise of its status (UTC ms); null: not known. */
export function sinceMsOf({ now, stop }: Pick<FloorMachine, 'now' | 'stop'>): number | null {
  return stop?.sinceMs ?? now.sinceMs
}

interface SinceLocale {
  readonly t: Texts
  readonly format: Format
}

/** "since 22:58 · 12 min", with seconds if there is room; an earlier day has its name instead of the duration. */
export function sinceText(sinceMs: number, nowMs: number, locale: SinceLocale, hasSeconds = false): string {
  return sinceParts(sinceMs, nowMs, locale, hasSeconds).join(' · ')
}

/** The parts of `sinceText`: the start, and the duration. */
export function sinceParts(
  sinceMs: number,
  nowMs: number,
  { t, format }: SinceLocale,
  hasSeconds = false,
): readonly string[] {
  // At the start, the duration is less than a minute, not zero.
  const lengthMs = Math.max(1, nowMs - sinceMs)
  if (lengthMs >= clockOnlyMs) return [t.floor.sinceAt(format.hour(sinceMs))]
  return [t.floor.sinceAt(format.clock(sinceMs)), hasSeconds ? format.duration(lengthMs) : format.minutes(lengthMs)]
}
