/** Formats UTC milliseconds as `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString()
}
