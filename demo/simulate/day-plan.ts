import type { Profile } from './profile.ts'
import { Random, hash } from './random.ts'
import { dayMs, hourMs, minuteMs } from '../../shared/time/units.ts'

/**
 * Activity of a machine. `off`: without power; `idle`: ready, no operator; `cycle`: makes a part; `load`: the part is
 * complete, the next is being loaded; `fault`: stopped by an alarm.
 */
export type DayKind = 'off' | 'idle' | 'cycle' | 'load' | 'fault'

export interface Phase {
  readonly kind: DayKind
  /** UTC ms */
  readonly startMs: number
  readonly endMs: number
  /** Number of parts completed since midnight, at the start of the phase. */
  readonly parts: number
  /** Index within the day. */
  readonly index: number
  /** Whether the previous phase of the same day was `off`. */
  readonly isAfterOff: boolean
}

/**
 * Returns the phases of a UTC day, in order, without gaps. Days are independent: all activities end at midnight.
 * `isDaily`: weekends are like weekdays.
 */
export function planDay(seed: number, profile: Profile, dayStartMs: number, isDaily = false): readonly Phase[] {
  const random = new Random(hash(seed, profile.index, dayStartMs / dayMs, 1))
  const phases: Phase[] = []
  let nowMs = dayStartMs
  let parts = 0
  const add = (kind: DayKind, durationMs: number) => {
    const startMs = nowMs
    nowMs = Math.min(dayStartMs + dayMs, startMs + Math.round(durationMs))
    const last = phases.at(-1)
    if (last?.kind === 'off' && kind === 'off') phases[last.index] = { ...last, endMs: nowMs }
    else phases.push({ kind, startMs, endMs: nowMs, parts, index: phases.length, isAfterOff: last?.kind === 'off' })
  }
  for (const shift of shiftsOf(dayStartMs, isDaily)) {
    if (nowMs >= shift.endMs) continue
    if (!random.chance(shift.isNight ? profile.nightWork * shift.work : shift.work)) {
      add(profile.isSwitchedOff ? 'off' : 'idle', shift.endMs - nowMs)
      continue
    }
    let isBreakDue = true
    while (nowMs < shift.endMs) {
      const cycleMs = profile.idealCycleMs * (1 + 0.15 * random.next() ** 2)
      const loadMs = profile.loadMs * random.between(0.8, 1.8)
      if (isBreakDue && nowMs >= shift.breakMs) {
        isBreakDue = false
        add('idle', random.between(24, 38) * minuteMs)
      } else if (random.chance(profile.faultRate)) add('fault', random.between(1, 5) ** 2 * minuteMs)
      else if (random.chance(profile.stopRate)) add('idle', random.between(1.5, 6) ** 2 * minuteMs)
      else if (nowMs + cycleMs + loadMs >= dayStartMs + dayMs) add('idle', dayStartMs + dayMs - nowMs)
      else {
        add('cycle', cycleMs)
        parts++
        add('load', loadMs)
      }
    }
  }
  return phases
}

interface Shift {
  readonly endMs: number
  readonly breakMs: number
  readonly isNight: boolean
  /** Probability that the machine works in the shift. */
  readonly work: number
}

/**
 * Returns the shifts of a day: early 6 to 14, late 14 to 22, night. All on weekdays, few on Saturday mornings, none on
 * Sundays.
 */
function shiftsOf(dayStartMs: number, isDaily: boolean): readonly Shift[] {
  const weekday = new Date(dayStartMs).getUTCDay()
  const isWeekday = isDaily || (weekday >= 1 && weekday <= 5)
  const shift = (fromHour: number, toHour: number, breakHour: number, isNight: boolean, work: number): Shift => ({
    endMs: dayStartMs + toHour * hourMs,
    breakMs: dayStartMs + Math.max(fromHour, breakHour) * hourMs,
    isNight,
    work,
  })
  return [
    shift(0, 6, 2, true, isDaily || (weekday >= 2 && weekday <= 6) ? 1 : 0),
    shift(6, 14, 10, false, isWeekday ? 0.96 : weekday === 6 ? 0.3 : 0),
    shift(14, 22, 18, false, isWeekday ? 0.94 : 0),
    shift(22, 24, 26, true, isWeekday ? 1 : 0),
  ]
}
