import type { EventSum } from '../../../schema/event-metrics.ts'
import type { Columns } from '../query/columns.ts'
import type { AlarmPlan } from '../plan/alarm.ts'
import { keyNames } from '../plan/plan.ts'
import { keysIn, type Rows } from './rows.ts'
import { numberAt, ofShares, sharesOf } from './shares.ts'

/** The share of alarm instances in one cell. */
export interface CellShare {
  /** UTC seconds. */
  readonly cell: number
  readonly amountMs: number
  /** UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
}

/**
 * Alarm instances that begin in one cell and end in one, cut to the range; the start in UTC seconds identifies a cell.
 */
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

/** The rows of the answer to `compileAlarm`: an instance counts once, whatever cells it lies in, and so does its machine. */
export function alarmRows(plan: AlarmPlan, columns: Columns): Rows<EventSum> {
  const names = keyNames(plan).filter(name => name !== 'cell')
  const starts = plan.cellsMs.map(ms => ms / 1000)
  const spans = spansOf(columns.slice(names.length))
  const bySpan = spans.map(span => cellShares(span, starts))
  const shares = sharesOf(spans.length, row => bySpan[row]?.length ?? 0)
  const ofAll = bySpan.flat()
  const column = (of: (share: CellShare) => number) => Float64Array.from(ofAll, of)
  const inAnswer = keysIn(names, columns)
  const keys = Object.fromEntries(names.map(name => [name, ofShares(inAnswer[name], shares)] as const))
  const records = Float64Array.from(shares.rows, row => spans[row]?.records ?? 0)
  const sums: Rows<EventSum>['sums'] = new Map([
    ['amount', { how: 'add', values: column(({ amountMs }) => amountMs) }],
    ['firstMs', { how: 'min', values: column(({ firstMs }) => firstMs) }],
    ['lastMs', { how: 'max', values: column(({ lastMs }) => lastMs) }],
    ['records', { how: 'once', values: records, numbers: shares.rows }],
    ['machines', { how: 'once', values: column(() => 1), numbers: Int32Array.from(keys['machine'] ?? []) }],
  ])
  return { count: shares.count, keys: { ...keys, cell: column(({ cell }) => cell) }, sums }
}

/** Reads the columns after the keys, in their order. */
function spansOf(columns: Columns): readonly CellSpan[] {
  const at = (column: number, row: number) => numberAt(columns[column], row)
  return Array.from({ length: columns[0]?.length ?? 0 }, (_, row) => ({
    firstCell: at(0, row),
    lastCell: at(1, row),
    records: at(2, row),
    totalMs: at(3, row),
    intoFirstMs: at(4, row),
    intoLastMs: at(5, row),
    firstMs: at(6, row),
    lastMs: at(7, row),
  }))
}

/** Pure: what the instances have in each cell from the first to the last. `starts`: of all cells, UTC seconds, ascending. */
export function cellShares(span: CellSpan, starts: readonly number[]): readonly CellShare[] {
  const { firstCell, lastCell, records, totalMs, firstMs, lastMs } = span
  if (firstCell === lastCell) return [{ cell: firstCell, amountMs: totalMs, firstMs, lastMs }]
  const cells = starts.slice(starts.indexOf(firstCell), starts.indexOf(lastCell) + 1)
  return cells.map((cell, i) => {
    const startMs = cell * 1000
    if (cell === lastCell) return { cell, amountMs: span.intoLastMs, firstMs: startMs, lastMs }
    const endMs = (cells[i + 1] ?? 0) * 1000
    const wholeMs = records * (endMs - startMs)
    if (i > 0) return { cell, amountMs: wholeMs, firstMs: startMs, lastMs: endMs }
    return { cell, amountMs: wholeMs - span.intoFirstMs, firstMs, lastMs: endMs }
  })
}
