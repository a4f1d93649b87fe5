const dayMs = 86_400_000

/** The date shifted by a number of days. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
}

/** Days from the first date to the last, both counted. */
export function daysIn(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1
}

/** 1 = Monday … 7 = Sunday. */
export function weekdayOf(date: string): number {
  return new Date(date).getUTCDay() || 7
}

/** Time that clocks of a zone show at an instant (UTC ms): `YYYY-MM-DDTHH:mm`. */
export function wallTime(instantMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(instantMs).replace(' ', 'T')
}

/** How far clocks of a zone are ahead of UTC at an instant, ms. */
export function aheadIn(timeZone: string): (atMs: number) => number {
  return atMs => Date.parse(`${wallTime(atMs, timeZone)}Z`) - Math.floor(atMs / 60_000) * 60_000
}

/**
 * The instant (UTC ms) at which clocks of a zone show a `YYYY-MM-DDTHH:mm`: the first where they show it twice; where they skip it, as
 * long after the change as it is after the last time before it.
 */
export function instantOf(wall: string, timeZone: string): number {
  const asUtcMs = Date.parse(`${wall}Z`)
  const aheadMs = aheadIn(timeZone)
  // No zone is a day away from UTC, and clocks change only once in two days.
  const beforeMs = aheadMs(asUtcMs - dayMs)
  const shown = [beforeMs, aheadMs(asUtcMs + dayMs)]
    .map(ms => ({ atMs: asUtcMs - ms, ms }))
    .filter(({ atMs, ms }) => aheadMs(atMs) === ms)
  return shown.length === 0 ? asUtcMs - beforeMs : Math.min(...shown.map(({ atMs }) => atMs))
}
