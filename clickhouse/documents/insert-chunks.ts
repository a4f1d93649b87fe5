const rowsPerInsert = 10_000
const monthsPerInsert = 100

/** Rows sorted by hour, so that an insert touches few months (each is a part of each table), and cut where it would touch too many. */
export function* insertChunks<Row extends { readonly slotMs: number }>(
  rows: readonly Row[],
): Generator<readonly Row[], void> {
  let chunk: Row[] = []
  let months = 0
  let monthEndMs = -Infinity
  for (const row of rows.toSorted((a, b) => a.slotMs - b.slotMs)) {
    const isNewMonth = row.slotMs >= monthEndMs
    if (isNewMonth) monthEndMs = endOfMonth(row.slotMs)
    if (chunk.length === rowsPerInsert || (months === monthsPerInsert && isNewMonth)) {
      yield chunk
      chunk = []
      months = 0
    }
    if (isNewMonth || chunk.length === 0) months++
    chunk.push(row)
  }
  if (chunk.length > 0) yield chunk
}

function endOfMonth(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
