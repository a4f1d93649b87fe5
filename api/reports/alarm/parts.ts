import type { Share } from '../events/groups.ts'

/** Alarm instances that begin in one cell and end in one, cut to the range; cells are told by their starts in UTC seconds. */
export interface CellSpan {
  readonly firstCell: number
  readonly lastCell: number
  readonly records: number
  /** Sums over the instances: all of their time; the time of the first cell before they begin, of the last before they end. */
  readonly totalMs: number
  readonly intoFirstMs: number
  readonly intoLastMs: number
  /** UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Pure: what the instances have in each cell from the first to the last. `starts`: of all cells, UTC seconds, ascending. */
export function partsOf(span: CellSpan, starts: readonly number[], keys: Share['keys']): readonly Share[] {
  const { firstCell, lastCell, records, totalMs, firstMs, lastMs } = span
  const partOf = (cell: number, amount: number, from: number, to: number): Share => ({
    keys: { ...keys, cell },
    amount,
    firstMs: from,
    lastMs: to,
  })
  if (firstCell === lastCell) return [partOf(firstCell, totalMs, firstMs, lastMs)]
  const cells = starts.slice(starts.indexOf(firstCell), starts.indexOf(lastCell) + 1)
  return cells.map((cell, i) => {
    const startMs = cell * 1000
    if (cell === lastCell) return partOf(cell, span.intoLastMs, startMs, lastMs)
    const endMs = (cells[i + 1] ?? 0) * 1000
    const wholeMs = records * (endMs - startMs)
    return i === 0 ? partOf(cell, wholeMs - span.intoFirstMs, firstMs, endMs) : partOf(cell, wholeMs, startMs, endMs)
  })
}
