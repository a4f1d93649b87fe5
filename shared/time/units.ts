/** Durations in milliseconds. */
export const secondMs = 1_000
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Returns the start of the UTC hour that contains an instant, both in UTC ms. */
export function slotOf(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs
}
