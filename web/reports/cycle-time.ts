import type { Format } from '../texts/format.ts'

/** The length of a cycle (ms) in seconds; a dash for null. */
export function cycleTime(ms: number | null, format: Format): string {
  return ms === null ? format.number(null, 1) : `${format.number(ms / 1000, 1)} s`
}
