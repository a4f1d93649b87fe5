const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/i
const day = /^(\d{4}-\d\d-\d\d)(?:T00:00(?::00(?:\.0+)?)?Z?)?$/i

/**
 * An ISO 8601 date-time as UTC ms: with or without seconds and fraction (cut to ms), with any offset, UTC without one.
 * null where the text is none or names a time that doesn't exist.
 */
export function parseDateTime(text: string): number | null {
  const match = dateTime.exec(text)
  if (!match) return null
  const [, date = '', minutes = '', seconds = ':00', fraction = '', offset = 'Z'] = match
  if (!isDate(date) || minutes > '24:00') return null
  const atMs = Date.parse(`${date}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${fullOffset(offset)}`)
  return Number.isNaN(atMs) ? null : atMs
}

/** A date `YYYY-MM-DD`, also written as its midnight in UTC (as `shopDate` is shown); null where the text is none. */
export function parseDay(text: string): string | null {
  const date = day.exec(text)?.[1]
  return date !== undefined && isDate(date) ? date : null
}

/** Date.parse takes `2024-02-30` for the first of March. */
function isDate(date: string): boolean {
  const atMs = Date.parse(`${date}T00:00:00.000Z`)
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date)
}

function fullOffset(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z'
  const digits = offset.replace(':', '').padEnd(5, '0')
  return `${digits.slice(0, 3)}:${digits.slice(3)}`
}
