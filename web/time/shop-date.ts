import { addDays, wallTime } from './wall-time.ts'

/** When a company's days begin: `startOfDay` is `HH:mm`, wall time. */
export interface DayRule {
  readonly timeZone: string
  readonly startOfDay: string
}

/** The shop date `YYYY-MM-DD` at an instant (UTC ms): until the start of day it is still the date before. */
export function shopDate(instantMs: number, { timeZone, startOfDay }: DayRule): string {
  const [date = '', time = ''] = wallTime(instantMs, timeZone).split('T')
  return time >= startOfDay ? date : addDays(date, -1)
}

/** Ms since the shop day began, by the clock on the wall. */
export function dayAgeMs(instantMs: number, { timeZone, startOfDay }: DayRule): number {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
  const minutes = minutesOf(wallTime(instantMs, timeZone).slice(11)) - minutesOf(startOfDay)
  return (minutes < 0 ? minutes + 1440 : minutes) * 60_000
}
