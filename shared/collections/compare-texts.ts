/** Compares strings by code units, which is the order of ISO instants and ids. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
