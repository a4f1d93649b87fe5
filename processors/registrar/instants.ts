import { isLocalDate } from '../calendar/local-date.ts'

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/

/** Whether a text is an ISO 8601 date-time that exists; fractions and offset are optional, without an offset it is UTC. */
export function isInstant(text: string): boolean {
  const date = instantPattern.exec(text)?.[1]
  return date !== undefined && isLocalDate(date) && !Number.isNaN(Date.parse(parseable(text))) && inRange(text)
}

/** The instant as it is kept: `YYYY-MM-DDTHH:mm:ss.SSSZ`. The text must be one (`isInstant`). */
export function toInstant(text: string): string {
  return new Date(Date.parse(parseable(text))).toISOString()
}

/** An optional instant as it is kept. */
export function toInstantOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toInstant(text)
}

export function instantOfMs(ms: number): string {
  return new Date(ms).toISOString()
}

/** In the form that ECMAScript defines, so that no engine guesses a local time. */
function parseable(text: string): string {
  const upper = text.toUpperCase().replace(' ', 'T').replace(',', '.')
  const offset = /(?:Z|[+-]\d{2}:?\d{2})$/.exec(upper.slice(10))?.[0] ?? ''
  const local = upper.slice(0, upper.length - offset.length).replace(/(\.\d{3})\d+$/, '$1')
  return local + (offset === '' ? 'Z' : offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2'))
}

/** Years 1970 to 9999: what sorts as text and what the store can keep. */
function inRange(text: string): boolean {
  const ms = Date.parse(parseable(text))
  return ms >= 0 && ms < 253_402_300_800_000
}
