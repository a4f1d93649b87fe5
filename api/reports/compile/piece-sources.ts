import { array, int32, int64, second, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { days, hours } from '../../../clickhouse/tables/documents.ts'
import { type ColumnName, identifier, type Table } from '../../../clickhouse/tables/table.ts'
import { slotMs } from './documents.ts'
import type { PieceColumn } from '../sums/sum-columns.ts'

/**
 * A source of pieces of a machine's time: one element of a document's parallel arrays is one piece. Whole days and
 * hours are read from the sums in their documents, cut hours from exact segments and instants. A column that a source
 * doesn't give is 0.
 */
export interface PieceSource<T extends PieceTable = PieceTable> {
  readonly table: T
  readonly columns: Readonly<Partial<Record<PieceColumn, Read>>>
  /** Condition for the pieces that count; null: all that are read count. */
  readonly where: Read | null
}

export type PieceTable = typeof days | typeof hours

/** An expression over array columns, each standing for its element. */
interface Read {
  readonly arrays: readonly ArrayColumn[]
  readonly sql: Sql
}

export type ArrayColumn = ArraysOf<typeof days> | ArraysOf<typeof hours>

type ArraysOf<T extends Table> = {
  [Name in ColumnName<T>]: T['columns'][Name] extends `Array(${string})` ? Name : never
}[ColumnName<T>]

type Group = 'facts' | 'downtime' | 'setup' | 'segment' | 'part' | 'adjustment'

/** Sources of whole shop days: `plannedReasons` are the ids of the reasons that are planned. */
export function daySources(plannedReasons: readonly number[]): readonly PieceSource<typeof days>[] {
  const at: Read = { arrays: [], sql: sql`intDiv(start_ms, 1000)` }
  return [
    { table: days, columns: { at, ...levelsOf('facts'), ...factColumns(sql`start_ms`) }, where: null },
    {
      table: days,
      columns: {
        at,
        ...levelsOf('downtime'),
        planned: {
          arrays: ['downtime_duration_ms', 'downtime_reason'],
          sql: sql`if(${isPlanned(sql`downtime_reason`, plannedReasons)}, downtime_duration_ms, 0)`,
        },
        uncategorized: {
          arrays: ['downtime_duration_ms', 'downtime_reason'],
          sql: sql`if(downtime_reason = 0, downtime_duration_ms, 0)`,
        },
      },
      where: null,
    },
    { table: days, columns: { at, ...levelsOf('setup'), setups: one }, where: null },
  ]
}

/**
 * Sources of whole hours; of an hour that a range cuts where a shop day begins, the cells that lie in the range. The ranges are ascending, and
 * there are days between them. All share these sources, as `cutHourSources` do.
 */
export function wholeHourSources(
  ranges: readonly TimeRange[],
  plannedReasons: readonly number[],
): readonly PieceSource<typeof hours>[] {
  const inRange = (cell: ArrayColumn) => (ranges.every(isWhole) ? null : within(cell, boundsOf(ranges)))
  return [
    {
      table: hours,
      columns: { at: cellStart('facts_cell'), ...levelsOf('facts'), ...factColumns(slotMs) },
      where: inRange('facts_cell'),
    },
    {
      table: hours,
      columns: {
        at: cellStart('downtime_cell'),
        ...levelsOf('downtime'),
        planned: {
          arrays: ['downtime_start', 'downtime_end', 'downtime_reason'],
          sql: sql`if(${isPlanned(sql`downtime_reason`, plannedReasons)}, toUInt32(downtime_end - downtime_start), 0)`,
        },
        uncategorized: {
          arrays: ['downtime_start', 'downtime_end', 'downtime_reason'],
          sql: sql`if(downtime_reason = 0, toUInt32(downtime_end - downtime_start), 0)`,
        },
      },
      where: inRange('downtime_cell'),
    },
    {
      table: hours,
      columns: { at: cellStart('setup_at'), ...levelsOf('setup'), setups: one },
      where: inRange('setup_at'),
    },
  ]
}

function isWhole({ startMs, endMs }: TimeRange): boolean {
  return startMs % hourMs === 0 && endMs % hourMs === 0
}

/** Columns that facts give; `originMs`: the instant that first and last count from, UTC ms. */
function factColumns(originMs: Sql) {
  return {
    duration_ms: element('facts_duration_ms'),
    in_cycle_ms: element('facts_in_cycle_ms'),
    spindle_ms: element('facts_spindle_ms'),
    cut_ms: element('facts_cut_ms'),
    began: { arrays: ['facts_first'], sql: sql`${originMs} + facts_first` },
    ended: { arrays: ['facts_last'], sql: sql`${originMs} + facts_last` },
    parts: element('facts_parts'),
    adjusted: element('facts_adjusted'),
    scrap: element('facts_scrap'),
    nonconform: element('facts_nonconform'),
  } satisfies Partial<Record<PieceColumn, Read>>
}

/**
 * Sources of cut hours: of the time in `cuts`, which are ascending; no two of them touch one hour. All cuts share these
 * sources, as the engine takes about as long to plan one more source as to read a plant's hour from it.
 */
export function cutHourSources(
  cuts: readonly TimeRange[],
  plannedReasons: readonly number[],
): readonly PieceSource<typeof hours>[] {
  const bounds = boundsOf(cuts)
  const began = sql`greatest(${slotMs} + segment_start, ${bounds.startMs})`
  const ended = sql`least(${slotMs} + segment_end, ${bounds.endMs})`
  // UInt32 as in the facts, so that the many facts needn't be converted; `where` leaves out negative spans.
  const span = sql`toUInt32(${ended} - ${began})`
  const spanWhere = (flag: Sql, ...arrays: readonly ArrayColumn[]): Read => ({
    arrays: ['segment_start', 'segment_end', ...arrays],
    sql: sql`if(${flag}, ${span}, 0)`,
  })
  return [
    {
      table: hours,
      columns: {
        at: cellStart('segment_cell'),
        ...levelsOf('segment'),
        duration_ms: { arrays: ['segment_start', 'segment_end'], sql: span },
        in_cycle_ms: spanWhere(sql`segment_in_cycle`, 'segment_in_cycle'),
        spindle_ms: spanWhere(sql`segment_spindle`, 'segment_spindle'),
        cut_ms: spanWhere(sql`segment_cut`, 'segment_cut'),
        began: { arrays: ['segment_start'], sql: began },
        ended: { arrays: ['segment_end'], sql: ended },
        planned: spanWhere(
          sql`(segment_down AND ${isPlanned(sql`segment_reason`, plannedReasons)})`,
          'segment_down',
          'segment_reason',
        ),
        uncategorized: spanWhere(sql`(segment_down AND segment_reason = 0)`, 'segment_down', 'segment_reason'),
      },
      where: { arrays: ['segment_start', 'segment_end'], sql: sql`${began} < ${ended}` },
    },
    {
      table: hours,
      columns: { at: cellStart('part_cell'), ...levelsOf('part'), parts: element('part_count') },
      where: within('part_at', bounds),
    },
    {
      table: hours,
      columns: {
        at: cellStart('adjustment_cell'),
        ...levelsOf('adjustment'),
        adjusted: element('adjustment_count'),
        scrap: element('adjustment_scrap'),
        nonconform: element('adjustment_nonconform'),
      },
      where: within('adjustment_at', bounds),
    },
    {
      table: hours,
      columns: { at: cellStart('setup_at'), ...levelsOf('setup'), setups: one },
      where: within('setup_at', bounds),
    },
  ]
}

const one: Read = { arrays: ['setup_at'], sql: sql`1` }

function element(name: ArrayColumn): Read {
  return { arrays: [name], sql: identifier(name) }
}

/** `cell` holds an offset in the piece's cell: its bucket is the one that holds that instant. */
function cellStart(cell: ArrayColumn): Read {
  return { arrays: [cell], sql: sql`toUnixTimestamp(slot) + intDiv(${identifier(cell)}, 1000)` }
}

function levelsOf(group: Group) {
  return {
    shift: element(`${group}_shift`),
    run: element(`${group}_run`),
    operators: element(`${group}_operators`),
    mode: element(`${group}_mode`),
    scheduled: element(`${group}_scheduled`),
    non_optional: element(`${group}_non_optional`),
  } satisfies Partial<Record<PieceColumn, Read>>
}

/** Bounds that a piece is cut to, UTC ms. */
interface Bounds {
  readonly startMs: Sql
  readonly endMs: Sql
}

/**
 * Bounds of the range in which the piece's hour lies; the ranges are ascending. A range that begins or ends with an
 * hour cuts nothing there.
 */
function boundsOf([range, ...later]: readonly TimeRange[]): Bounds {
  if (!range) throw new Error('invariant: a piece is cut to a range')
  const [startMs, endMs] = [sql`${int64(range.startMs)}`, sql`${int64(range.endMs)}`]
  const [next] = later
  if (!next) return { startMs, endMs }
  const others = boundsOf(later)
  const isEarlier = sql`slot < ${second(Math.floor(next.startMs / hourMs) * hourMs)}`
  return {
    startMs: later.every(each => each.startMs % hourMs === 0)
      ? startMs
      : sql`if(${isEarlier}, ${startMs}, ${others.startMs})`,
    endMs: range.endMs % hourMs === 0 ? others.endMs : sql`if(${isEarlier}, ${endMs}, ${others.endMs})`,
  }
}

function within(at: ArrayColumn, { startMs, endMs }: Bounds): Read {
  const instant = sql`${slotMs} + ${identifier(at)}`
  return { arrays: [at], sql: sql`${instant} >= ${startMs} AND ${instant} < ${endMs}` }
}

/** Setup counts as planned. */
function isPlanned(reason: Sql, plannedReasons: readonly number[]): Sql {
  return sql`(${reason} = -1 OR has(${array(int32, plannedReasons)}, ${reason}))`
}
