const dayMs = 86_400_000

/** The shop date `YYYY-MM-DD` at an instant: until the start of day (`HH:mm`, wall time) it is still the date before. */
export function shopDate(instant, { timeZone, startOfDay }) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const { year, month, day, hour, minute } = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, value]),
  )
  const date = `${year}-${month}-${day}`
  if (`${hour}:${minute}` >= startOfDay) return date
  return new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)
}
