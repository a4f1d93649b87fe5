/** Cuts bytes into chunks at these indexes, modulo the length. */
export function cut(bytes: Buffer, borders: readonly number[]): readonly Buffer[] {
  const at = [0, ...borders.map(border => border % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}
