import { parseInstantUs } from '../../shared/time/instant.ts'

/** Shifts a timestamp by some microseconds; returns an unreadable one unchanged. */
export function shiftTimestamp(timestamp: string, byUs: number): string {
  const atUs = byUs === 0 ? null : parseInstantUs(timestamp)
  return atUs === null ? timestamp : timestampText(atUs + byUs)
}

/** Formats UTC microseconds as `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`. */
export function timestampText(atUs: number): string {
  const atMs = Math.floor(atUs / 1000)
  return `${new Date(atMs).toISOString().slice(0, -1)}${String(atUs - atMs * 1000).padStart(3, '0')}Z`
}
