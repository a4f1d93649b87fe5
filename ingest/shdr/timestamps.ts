import { parseInstantUs } from '../../shared/time/instant.ts'

/** Shifts a timestamp by some microseconds; returns an unreadable one unchanged. */
export function shiftTimestamp(timestamp: string, byUs: number): string {
  const atUs = byUs === 0 ? null : parseInstantUs(timestamp)
  return atUs === null ? timestamp : timestampText(atUs + byUs)
}

const minuteUs = 60_000_000
/** Ends of the text of a minute: seconds and milliseconds. */
const secondsLength = '00.000Z'.length
/** The minute of the last time, and its text: most times follow each other. */
const last = { minute: NaN, text: '' }

/** Formats UTC microseconds as `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`. */
export function timestampText(atUs: number): string {
  const minute = Math.floor(atUs / minuteUs)
  if (minute !== last.minute) {
    last.text = new Date((minute * minuteUs) / 1000).toISOString().slice(0, -secondsLength)
    last.minute = minute
  }
  // The first digit keeps the zeros after it.
  const digits = String(100_000_000 + Math.floor(atUs - minute * minuteUs))
  return `${last.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`
}
