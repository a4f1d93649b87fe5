import { array, ident, int32, int64, second, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { type DocumentTable, slotMs } from '../sql.ts'
import type { PieceColumn } from './sum-columns.ts'

/**
 * Where pieces of a machine's time come from: one element of a document's parallel arrays is one piece. Whole days and hours are
 * read from what their documents add up, cut hours from exact segments and instants. What a source doesn't give is 0.
 */
export interface Source {
  readonly table: SourceTable
  readonly columns: Readonly<Partial<Record<PieceColumn, Read>>>
  /** Which pieces count, where not all of those read do. */
  readonly where: Read | null
}

export type SourceTable = 'days' | DocumentTable

/** An expression over array columns, each standing for its element. */
export interface Read {
  readonly arrays: readonly ArrayColumn[]
  readonly sql: Sql
}

type Prefix = 'f' | 'r' | 'd' | 'u' | 's' | 'p' | 'q'
export type ArrayColumn = `${Prefix}_${
  | ('cell' | 'shift' | 'run' | 'ops' | 'mode' | 'scheduled' | 'nonoptional')
  | ('first' | 'last' | 'ms' | 'cycle' | 'spindle' | 'cut' | 'parts' | 'adjusted' | 'scrap' | 'nonconform')
  | ('start' | 'end' | 'down' | 'reason' | 'at' | 'count')}`

/** Sources of whole shop days: `plannedReasons` are the ids of the reasons that are planned. */
export function daySources(plannedReasons: readonly number[]): readonly Source[] {
  const at: Read = { arrays: [], sql: sql`intDiv(start_ms, 1000)` }
  return [
    { table: 'days', columns: { at, ...dimensionsOf('f'), ...factColumns(sql`start_ms`) }, where: null },
    {
      table: 'days',
      columns: {
        at,
        ...dimensionsOf('r'),
        planned: { arrays: ['r_ms', 'r_reason'], sql: sql`if(${isPlanned(sql`r_reason`, plannedReasons)}, r_ms, 0)` },
        uncategorized: { arrays: ['r_ms', 'r_reason'], sql: sql`if(r_reason = 0, r_ms, 0)` },
      },
      where: null,
    },
    { table: 'days', columns: { at, ...dimensionsOf('u'), setups: one }, where: null },
  ]
}

/** Sources of whole hours; of an hour that the range cuts where a shop day begins, the cells that lie in the range. */
export function wholeHourSources(range: TimeRange, plannedReasons: readonly number[]): readonly Source[] {
  const inRange = (cell: ArrayColumn) => (isWhole(range) ? null : within(cell, boundsOf([range])))
  return [
    {
      table: 'hours',
      columns: { at: cellStart('f_cell'), ...dimensionsOf('f'), ...factColumns(slotMs) },
      where: inRange('f_cell'),
    },
    {
      table: 'hours',
      columns: {
        at: cellStart('d_cell'),
        ...dimensionsOf('d'),
        planned: {
          arrays: ['d_start', 'd_end', 'd_reason'],
          sql: sql`if(${isPlanned(sql`d_reason`, plannedReasons)}, toUInt32(d_end - d_start), 0)`,
        },
        uncategorized: {
          arrays: ['d_start', 'd_end', 'd_reason'],
          sql: sql`if(d_reason = 0, toUInt32(d_end - d_start), 0)`,
        },
      },
      where: inRange('d_cell'),
    },
    { table: 'hours', columns: { at: cellStart('u_at'), ...dimensionsOf('u'), setups: one }, where: inRange('u_at') },
  ]
}

function isWhole({ startMs, endMs }: TimeRange): boolean {
  return startMs % hourMs === 0 && endMs % hourMs === 0
}

/** What facts give; `originMs`: what first and last count from, UTC ms. */
function factColumns(originMs: Sql) {
  return {
    ms: element('f_ms'),
    cycle: element('f_cycle'),
    spindle: element('f_spindle'),
    cut: element('f_cut'),
    began: { arrays: ['f_first'], sql: sql`${originMs} + f_first` },
    ended: { arrays: ['f_last'], sql: sql`${originMs} + f_last` },
    parts: element('f_parts'),
    adjusted: element('f_adjusted'),
    scrap: element('f_scrap'),
    nonconform: element('f_nonconform'),
  } satisfies Partial<Record<PieceColumn, Read>>
}

/**
 * Sources of cut hours: what lies in the cuts, ascending, of which no two touch one hour. They share their sources, as the engine takes
 * about as long to plan another one as to read a plant's hour from it.
 */
export function cutHourSources(cuts: readonly TimeRange[], plannedReasons: readonly number[]): readonly Source[] {
  const bounds = boundsOf(cuts)
  const began = sql`greatest(${slotMs} + s_start, ${bounds.startMs})`
  const ended = sql`least(${slotMs} + s_end, ${bounds.endMs})`
  // Of the type of the facts, so that those many needn't be converted; negative ones are left out by `where`.
  const span = sql`toUInt32(${ended} - ${began})`
  const spanWhere = (flag: Sql, ...arrays: readonly ArrayColumn[]): Read => ({
    arrays: ['s_start', 's_end', ...arrays],
    sql: sql`if(${flag}, ${span}, 0)`,
  })
  return [
    {
      table: 'cycle_states',
      columns: {
        at: cellStart('s_cell'),
        ...dimensionsOf('s'),
        ms: { arrays: ['s_start', 's_end'], sql: span },
        cycle: spanWhere(sql`s_cycle`, 's_cycle'),
        spindle: spanWhere(sql`s_spindle`, 's_spindle'),
        cut: spanWhere(sql`s_cut`, 's_cut'),
        began: { arrays: ['s_start'], sql: began },
        ended: { arrays: ['s_end'], sql: ended },
        planned: spanWhere(sql`(s_down AND ${isPlanned(sql`s_reason`, plannedReasons)})`, 's_down', 's_reason'),
        uncategorized: spanWhere(sql`(s_down AND s_reason = 0)`, 's_down', 's_reason'),
      },
      where: { arrays: ['s_start', 's_end'], sql: sql`${began} < ${ended}` },
    },
    {
      table: 'part_states',
      columns: { at: cellStart('p_cell'), ...dimensionsOf('p'), parts: element('p_parts') },
      where: within('p_at', bounds),
    },
    {
      table: 'part_states',
      columns: {
        at: cellStart('q_cell'),
        ...dimensionsOf('q'),
        adjusted: element('q_count'),
        scrap: element('q_scrap'),
        nonconform: element('q_nonconform'),
      },
      where: within('q_at', bounds),
    },
    {
      table: 'cycle_states',
      columns: { at: cellStart('u_at'), ...dimensionsOf('u'), setups: one },
      where: within('u_at', bounds),
    },
  ]
}

const one: Read = { arrays: ['u_at'], sql: sql`1` }

function element(name: ArrayColumn): Read {
  return { arrays: [name], sql: ident(name) }
}

/** `cell` holds an offset in the piece's cell: its bucket is the one that holds that instant. */
function cellStart(cell: ArrayColumn): Read {
  return { arrays: [cell], sql: sql`toUnixTimestamp(slot) + intDiv(${ident(cell)}, 1000)` }
}

function dimensionsOf(prefix: Prefix) {
  return {
    shift: element(`${prefix}_shift`),
    run: element(`${prefix}_run`),
    ops: element(`${prefix}_ops`),
    mode: element(`${prefix}_mode`),
    scheduled: element(`${prefix}_scheduled`),
    nonoptional: element(`${prefix}_nonoptional`),
  } satisfies Partial<Record<PieceColumn, Read>>
}

/** What a piece is cut to, UTC ms. */
interface Bounds {
  readonly startMs: Sql
  readonly endMs: Sql
}

/** The bounds of that one of the ranges, ascending, in which the piece's hour lies. Where it begins or ends with an hour, nothing is cut. */
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
  const instant = sql`${slotMs} + ${ident(at)}`
  return { arrays: [at], sql: sql`${instant} >= ${startMs} AND ${instant} < ${endMs}` }
}

/** Setup counts as planned. */
function isPlanned(reason: Sql, plannedReasons: readonly number[]): Sql {
  return sql`(${reason} = -1 OR has(${array(int32, plannedReasons)}, ${reason}))`
}
