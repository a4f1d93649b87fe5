/** Instants that a `DateTime` column can hold: 1970 to 2106. */
const lastMs = (2 ** 32 - 1) * 1000

/** A bound of a range, however far out it was given (0, Infinity), as an instant that columns can be compared with. */
export function columnBound(ms: number): number {
  return Math.min(Math.max(ms, 0), lastMs)
}
