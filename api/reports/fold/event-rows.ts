import type { EventSum } from '../../../schema/event-metrics.ts'
import type { Columns } from '../query/query.ts'
import type { AlarmPlan } from '../plan/alarm.ts'
import { keyNames } from '../plan/plan.ts'
import { keysIn, type Rows, rowsOf } from './fold.ts'
import type { DowntimePlan } from '../plan/downtime.ts'
import type { NumberColumn } from '../../../clickhouse/client/native.ts'

/** The share of alarm instances in one cell. */
interface CellShare {
  readonly cell: number
  readonly amountMs: number
  /** UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Alarm instances that begin in one cell and end in one (UTC seconds of its start), cut to the range. */
export interface CellSpan {
  readonly firstCell: number
  readonly lastCell: number
  readonly records: number
  /** Sums over the instances: total time; time of the first cell before their starts, and of the last cell before their ends. */
  readonly totalMs: number
  readonly intoFirstMs: number
  readonly intoLastMs: number
  /** UTC ms. */
  readonly firstMs: number
  readonly lastMs: number
}

/** Rows of the result of `compileAlarm`: an instance in several cells counts once, and so does its machine. */
export function alarmRows(plan: AlarmPlan, columns: Columns): Rows<EventSum> {
  const names = keyNames(plan).filter(name => name !== 'cell')
  const starts = plan.cellsMs.map(ms => ms / 1000)
  const spans = spansOf(columns.slice(names.length))
  const bySpan = spans.map(span => cellShares(span, starts))
  const shares = sharesOf(spans.length, row => bySpan[row]?.length ?? 0)
  const ofAll = bySpan.flat()
  const column = (of: (share: CellShare) => number) => Float64Array.from(ofAll, of)
  const inResult = keysIn(names, columns)
  const keys = Object.fromEntries(names.map(name => [name, ofShares(inResult[name], shares)] as const))
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

/** Pure: the share of the instances in each cell of the span. `starts`: starts of all cells, UTC seconds, ascending. */
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

/** Keys of a further cell, shift or operation that the records of a row overlap: three numbers in the column `others`. */
const overlapKeys = ['cell', 'shift', 'operation'] as const

/** Rows of the result of `compileDowntime`: a record with several overlaps counts once. */
export function downtimeRows(plan: DowntimePlan, columns: Columns): Rows<EventSum> {
  const names = keyNames(plan)
  const [others = [], ...sumColumns] = columns.slice(names.length)
  const overlapIndexes = (row: number) => {
    const overlaps = others[row]
    return typeof overlaps === 'object' ? overlaps : []
  }
  const shares = sharesOf(others.length, row => 1 + overlapIndexes(row).length / overlapKeys.length)
  if (shares.count === others.length) {
    const plain = [...columns.slice(0, names.length), ...sumColumns]
    return rowsOf(names, [['amount', 'add'], ['records', 'add']], plain) // prettier-ignore
  }
  const [downMs, counted] = sumColumns
  const inResult = keysIn(names, columns)
  const keys = Object.fromEntries(names.map(name => [name, ofShares(inResult[name], shares)] as const))
  const amount = ofShares(downMs, shares)
  let first = 0
  for (let share = 0; share < shares.count; share++) {
    if (shares.isFirst(share)) {
      first = share
      continue
    }
    amount[share] = 0 // the first share has all of the time
    const overlaps = overlapIndexes(shares.rows[share] ?? 0)
    for (const [i, name] of overlapKeys.entries()) {
      const column = keys[name]
      if (column) column[share] = numberAt(overlaps, (share - first - 1) * overlapKeys.length + i)
    }
  }
  const sums: Rows<EventSum>['sums'] = new Map([
    ['amount', { how: 'add', values: amount }],
    ['records', { how: 'once', values: ofShares(counted, shares), numbers: shares.rows }],
  ])
  return { count: shares.count, keys, sums }
}

/**
 * Shares of events as rows. A result has one row for equal events; an event in several groups (days, shifts) has a share in each of them,
 * and counts once in each group and once above them.
 */
interface EventShares {
  readonly count: number
  /** By share: its row of the result. Shares of one row are consecutive. */
  readonly rows: Int32Array
  /** By share: whether it is the first of its row. */
  isFirst(share: number): boolean
}

function sharesOf(rowCount: number, countOf: (row: number) => number): EventShares {
  let count = 0
  for (let row = 0; row < rowCount; row++) count += countOf(row)
  const rows = new Int32Array(count)
  let to = 0
  for (let row = 0; row < rowCount; row++) {
    const end = to + countOf(row)
    rows.fill(row, to, end)
    to = end
  }
  return { count, rows, isFirst: share => share === 0 || rows[share] !== rows[share - 1] }
}

function ofShares(column: NumberColumn | undefined, { rows }: EventShares): Float64Array {
  const values = new Float64Array(rows.length)
  for (let share = 0; share < rows.length; share++) values[share] = numberAt(column, rows[share] ?? 0)
  return values
}

function numberAt(column: NumberColumn | readonly number[] | undefined, row: number): number {
  const value = column?.[row]
  return typeof value === 'number' ? value : 0
}
