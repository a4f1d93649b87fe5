import { isLocalDate } from '../../../shared/time/local-date.ts'

const day = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/i

/** A date `YYYY-MM-DD`, also written as its midnight in UTC (as `shopDate` is shown); null where the text is none. */
export function parseDay(text: string): string | null {
  const date = day.exec(text)?.[1]
  return date !== undefined && isLocalDate(date) ? date : null
}
