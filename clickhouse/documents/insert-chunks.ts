const rowsPerInsert = 10_000
const monthsPerInsert = 100

/** Rows sorted by hour, so that an insert touches few months (each is a part of each table), and cut where it would touch too many. */
export function* insertChunks<Row extends { readonly slotMs: number }>(
  rows: readonly Row[],
): Generator<readonly Row[], void> {
  let chunk: Row[] = []
  let months = new Set<string>()
  for (const row of rows.toSorted((a, b) => a.slotMs - b.slotMs)) {
    const month = new Date(row.slotMs).toISOString().slice(0, 7)
    if (chunk.length === rowsPerInsert || (months.size === monthsPerInsert && !months.has(month))) {
      yield chunk
      chunk = []
      months = new Set()
    }
    chunk.push(row)
    months.add(month)
  }
  if (chunk.length > 0) yield chunk
}
