const dayMs = 86_400_000

/** When a company's days begin: `startOfDay` is `HH:mm`, wall time. */
export interface DayRule {
  readonly timeZone: string
  readonly startOfDay: string
}

/** The shop date `YYYY-MM-DD` at an instant (UTC ms): until the start of day it is still the date before. */
export function shopDate(instantMs: number, { timeZone, startOfDay }: DayRule): string {
  const { date, time } = wallClock(instantMs, timeZone)
  return time >= startOfDay ? date : new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)
}

/** Ms since the shop day began, by the clock on the wall. */
export function dayAgeMs(instantMs: number, { timeZone, startOfDay }: DayRule): number {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
  const minutes = minutesOf(wallClock(instantMs, timeZone).time) - minutesOf(startOfDay)
  return (minutes < 0 ? minutes + 1440 : minutes) * 60_000
}

function wallClock(instantMs: number, timeZone: string): { readonly date: string; readonly time: string } {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return { date: `${part('year')}-${part('month')}-${part('day')}`, time: `${part('hour')}:${part('minute')}` }
}
