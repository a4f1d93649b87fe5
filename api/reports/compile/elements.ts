import { ident, join, type Sql, sql, array, int32, int64, second } from '../../../clickhouse/sql/sql.ts'
import type { ElementColumn, DimensionColumn, Quantity } from '../sums/sum-columns.ts'
import { type Elements, slotMs } from './select.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { days, dimensionNames, hours, measureNames } from '../../../clickhouse/tables/documents.ts'
import { type ColumnName, identifier, type Table } from '../../../clickhouse/tables/table.ts'

/**
 * A SELECT of the machine and the requested columns of a source's elements; null if none of its kinds has them. `read`
 * returns the FROM clause; null: nothing is read. The arrays of all kinds are concatenated and unfolded in one SELECT:
 * each further SELECT costs as much planning as its columns, and planning dominates the report of a small plant.
 */
export function selectElements(
  { kinds, columns, where }: ElementSource,
  requested: ReadonlySet<ElementColumn>,
  read: (elements: Elements) => Sql | null,
): Sql | null {
  const giving = kinds.filter(({ gives }) => gives.some(name => requested.has(name)))
  if (giving.length === 0) return null
  const names = [...requested]
  const conditions = where ? [where] : []
  const members = new Set([...names.map(name => columns[name]), ...conditions].flatMap(each => each.members))
  const rows = read({
    unfold: [...members].map(name => sql`${arrayOf(name, giving)} AS ${memberColumn(name)}`),
    isPadded: giving.length > 1,
    where: conditions.map(each => each.sql),
  })
  return (
    rows &&
    sql`
  SELECT machine, ${join(names.map(name => sql`${columns[name].sql} AS ${ident(name)}`))}
  ${rows}`
  )
}

/** A member of the elements of all kinds, in their order: 0 for kinds that lack it, which may be missing at the end. */
function arrayOf(member: Member, kinds: readonly ElementKind[]): Sql {
  const arrays: Sql[] = []
  let lacking: Sql[] = []
  for (const { arrays: memberArrays, count } of kinds) {
    const array = memberArrays[member]
    if (array === undefined) {
      lacking.push(count)
      continue
    }
    if (lacking.length > 0) arrays.push(sql`arrayWithConstant(${join(lacking, sql` + `)}, 0)`)
    lacking = []
    arrays.push(array)
  }
  const [first, ...others] = arrays
  if (first === undefined) throw new Error(`invariant: no kind of element gives ${member}`)
  return others.length === 0 ? first : sql`arrayConcat(${join(arrays)})`
}

/**
 * A source of elements of a machine's time. A document holds kinds of elements, each in parallel arrays: one element is one element. Whole days
 * and hours are read from the sums in their documents, cut hours from exact segments and instants.
 */
interface ElementSource<T extends ElementTable = ElementTable> {
  readonly table: T
  readonly kinds: readonly ElementKind[]
  readonly columns: Readonly<Record<ElementColumn, Read>>
  /** Condition for the elements that count; null: all that are read count. */
  readonly where: Read | null
}

type ElementTable = typeof days | typeof hours

/** Elements of one kind. What a kind does not give is 0 in its elements. */
interface ElementKind {
  /** A kind is read where one of these is requested. */
  readonly gives: readonly Quantity[]
  readonly count: Sql
  readonly arrays: Readonly<Partial<Record<Member, Sql>>>
}

/** An expression over members of an element. */
interface Read {
  readonly members: readonly Member[]
  readonly sql: Sql
}

/**
 * Members of an element. `cell` (within its cell) and `start` to `last` are offsets in ms from the start of the document; `in_cycle` to
 * `down` are flags.
 */
type Member =
  | Exclude<DimensionColumn, 'at'>
  | Exclude<Quantity, 'began' | 'ended' | 'planned' | 'uncategorized'>
  | 'cell'
  | 'start'
  | 'end'
  | 'first'
  | 'last'
  | 'in_cycle'
  | 'spindle'
  | 'cut'
  | 'down'
  | 'down_ms'
  | 'reason'

function memberColumn(name: Member): Sql {
  return ident(`element_${name}`)
}

type ArrayColumn = ArraysOf<typeof days> | ArraysOf<typeof hours>

type ArraysOf<T extends Table> = {
  [Name in ColumnName<T>]: T['columns'][Name] extends `Array(${string})` ? Name : never
}[ColumnName<T>]

type Group = 'facts' | 'downtime' | 'setup' | 'segment' | 'part' | 'adjustment'

/** Members with an array of the same name in a group. */
type MemberOf<G extends Group, Column = ArrayColumn> = Column extends `${G}_${infer Name extends Member}` ? Name : never

/** Source of whole shop days: `plannedReasons` are the ids of the reasons that are planned. */
export function daySource(plannedReasons: readonly number[]): ElementSource<typeof days> {
  const down = { down_ms: identifier('downtime_duration_ms') }
  return {
    table: days,
    kinds: [
      kind('facts', factQuantities, factMembers),
      kind('downtime', downtimeQuantities, ['reason'], down),
      kind('setup', ['setups'], [], setup),
    ],
    columns: {
      at: { members: [], sql: sql`intDiv(start_ms, 1000)` },
      ...memberColumns(dimensionNames),
      ...factColumns(sql`start_ms`),
      ...downColumns({ members: ['down_ms'], sql: memberColumn('down_ms') }, plannedReasons),
    },
    where: null,
  }
}

/**
 * Source of whole hours; if a shop day begins within an hour, only its cells in the range. The ranges are ascending, with days between
 * them, and share this source as in `cutHourSource`.
 */
export function wholeHourSource(
  ranges: readonly TimeRange[],
  plannedReasons: readonly number[],
): ElementSource<typeof hours> {
  const downMs: Read = {
    members: ['start', 'end'],
    sql: sql`toUInt32(${memberColumn('end')} - ${memberColumn('start')})`,
  }
  return {
    table: hours,
    kinds: [
      kind('facts', factQuantities, ['cell', ...factMembers]),
      kind('downtime', downtimeQuantities, ['cell', 'reason', 'start', 'end']),
      kind('setup', ['setups'], [], setup),
    ],
    columns: {
      at: cellStart,
      ...memberColumns(dimensionNames),
      ...factColumns(slotMs),
      ...downColumns(downMs, plannedReasons),
    },
    where: ranges.every(isWhole) ? null : cellWithin(boundsOf(ranges)),
  }
}

/**
 * Source of cut hours: of the time in `cuts`, which are ascending, at most one per hour. All cuts share this source, because planning
 * another read takes the engine about as long as reading the hour of a plant.
 */
export function cutHourSource(
  cuts: readonly TimeRange[],
  plannedReasons: readonly number[],
): ElementSource<typeof hours> {
  const bounds = boundsOf(cuts)
  const began = sql`greatest(${elementStartMs}, ${bounds.startMs})`
  const ended = sql`least(${elementEndMs}, ${bounds.endMs})`
  // UInt32 as in the facts, so that these need no conversion; `where` excludes negative spans.
  const span: Read = { members: ['start', 'end'], sql: sql`toUInt32(${ended} - ${began})` }
  const spanWhere = (flag: Sql, ...members: readonly Member[]): Read => ({
    members: [...span.members, ...members],
    sql: sql`if(${flag}, ${span.sql}, 0)`,
  })
  const isDown = memberColumn('down')
  return {
    table: hours,
    kinds: [
      kind('segment', segmentQuantities, ['cell', 'start', 'end', 'in_cycle', 'spindle', 'cut', 'down', 'reason']),
      kind('part', ['parts'], ['cell'], { ...instant('part_at'), parts: identifier('part_count') }),
      kind('adjustment', ['adjusted', 'scrap', 'nonconform'], ['cell', 'scrap', 'nonconform'], {
        ...instant('adjustment_at'),
        adjusted: identifier('adjustment_count'),
      }),
      kind('setup', ['setups'], [], { ...setup, ...instant('setup_at') }),
    ],
    columns: {
      at: cellStart,
      ...memberColumns(dimensionNames),
      duration_ms: span,
      in_cycle_ms: spanWhere(memberColumn('in_cycle'), 'in_cycle'),
      spindle_ms: spanWhere(memberColumn('spindle'), 'spindle'),
      cut_ms: spanWhere(memberColumn('cut'), 'cut'),
      began: { members: ['start'], sql: began },
      ended: { members: ['end'], sql: ended },
      ...memberColumns(['parts', 'adjusted', 'scrap', 'nonconform', 'setups']),
      planned: spanWhere(sql`(${isDown} AND ${isPlanned(plannedReasons)})`, 'down', 'reason'),
      uncategorized: spanWhere(sql`(${isDown} AND ${isUncategorized})`, 'down', 'reason'),
    },
    where: { members: ['start', 'end'], sql: touches(bounds) },
  }
}

function kind<const G extends Group>(
  group: G,
  gives: readonly Quantity[],
  members: readonly MemberOf<G>[],
  others: ElementKind['arrays'] = {},
): ElementKind {
  const own = [...dimensionNames, ...members].map(name => [name, identifier(`${group}_${name}`)] as const)
  const count = sql`length(${identifier(`${group}_shift`)})`
  return { gives, count, arrays: { ...Object.fromEntries(own), ...others } }
}

const factQuantities = [...measureNames, 'began', 'ended'] as const
const factMembers = [...measureNames, 'first', 'last'] as const
const downtimeQuantities = ['planned', 'uncategorized'] as const
const segmentQuantities = [
  ...(['duration_ms', 'in_cycle_ms', 'spindle_ms', 'cut_ms', 'began', 'ended'] as const),
  ...downtimeQuantities,
] as const

const setup = {
  cell: identifier('setup_at'),
  setups: sql`arrayWithConstant(length(setup_at), 1)`,
} satisfies ElementKind['arrays']

/** An instant is a span without length. */
function instant(at: ArrayColumn) {
  return { start: identifier(at), end: identifier(at) }
}

function memberColumns<const Names extends readonly (Member & ElementColumn)[]>(
  names: Names,
): Record<Names[number], Read> {
  const reads = names.map((name): [string, Read] => [name, { members: [name], sql: memberColumn(name) }])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each name
  return Object.fromEntries(reads) as Record<Names[number], Read>
}

/** Columns of facts; `originMs`: the origin of the offsets `first` and `last`, UTC ms. */
function factColumns(originMs: Sql) {
  return {
    ...memberColumns([...measureNames, 'setups']),
    began: { members: ['first'], sql: sql`${originMs} + ${memberColumn('first')}` },
    ended: { members: ['last'], sql: sql`${originMs} + ${memberColumn('last')}` },
  } satisfies Partial<Record<ElementColumn, Read>>
}

function downColumns(downMs: Read, plannedReasons: readonly number[]) {
  const where = (condition: Sql): Read => ({
    members: ['reason', ...downMs.members],
    sql: sql`if(${condition}, ${downMs.sql}, 0)`,
  })
  return { planned: where(isPlanned(plannedReasons)), uncategorized: where(isUncategorized) }
}

const cellStart: Read = {
  members: ['cell'],
  sql: sql`toUnixTimestamp(slot) + intDiv(${memberColumn('cell')}, 1000)`,
}

const isUncategorized = sql`${memberColumn('reason')} = 0`

/** Setup (-1) is planned. */
function isPlanned(plannedReasons: readonly number[]): Sql {
  const reason = memberColumn('reason')
  return sql`(${reason} = -1 OR has(${array(int32, plannedReasons)}, ${reason}))`
}

function isWhole({ startMs, endMs }: TimeRange): boolean {
  return startMs % hourMs === 0 && endMs % hourMs === 0
}

/** UTC ms. */
interface Bounds {
  readonly startMs: Sql
  readonly endMs: Sql
}

/** Bounds of the range that contains the hour of an element; the ranges are ascending. */
function boundsOf([range, ...later]: readonly TimeRange[]): Bounds {
  if (!range) throw new Error('invariant: an element is cut to a range')
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

const elementStartMs = sql`${slotMs} + ${memberColumn('start')}`
const elementEndMs = sql`${slotMs} + ${memberColumn('end')}`

/** Condition: a span has time within the bounds, or an instant is in them. */
function touches(bounds: Bounds): Sql {
  return sql`${elementStartMs} < ${bounds.endMs} AND (${elementEndMs} > ${bounds.startMs} OR ${elementStartMs} >= ${bounds.startMs})`
}

function cellWithin(bounds: Bounds): Read {
  const at = sql`${slotMs} + ${memberColumn('cell')}`
  return { members: ['cell'], sql: sql`${at} >= ${bounds.startMs} AND ${at} < ${bounds.endMs}` }
}
