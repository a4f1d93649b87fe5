import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import { type Combine, identityElements } from '../../../schema/sums.ts'
import type { Columns, KeyName, KeyValue, RowKey } from '../query/query.ts'
import { groupings } from '../../../schema/groupings.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import type { GroupingLevel, GroupMember } from '../groupings/grouping-levels.ts'
import { GroupTree, inOrder } from './group-tree.ts'

/** Rows of a result, by column. */
export interface Rows<Name extends string = string> {
  readonly count: number
  /** Columns that identify the group of a row. */
  readonly keys: Readonly<Partial<Record<RowKey, NumberColumn>>>
  readonly sums: ReadonlyMap<Name, RowSum>
}

/** The values that rows add to a sum of their groups. */
export type RowSum =
  | { readonly how: Combine; readonly values: Float64Array }
  /** The value of a number counts once in a group; all rows with this number have the same value. */
  | { readonly how: 'once'; readonly values: Float64Array; readonly numbers: Int32Array }
  | Percentile

/**
 * The nearest-rank percentile: with n values in a group, ascending, value number ceil(n * percent / 100), from 1; NaN if
 * n is 0. Rows with the value NaN have none. `ranks`: the number of smaller values.
 */
interface Percentile {
  readonly how: 'percentile'
  readonly values: Float64Array
  readonly ranks: Int32Array
  readonly percent: number
}

/** Returns the function that creates a percentile of the values of rows; NaN: the row has no value. */
export function* percentilesOf(values: Float64Array): Steps<(percent: number) => Percentile> {
  // Without a comparison function, which would take ten times as long; NaN is last.
  const sorted = values.toSorted()
  yield
  const ranks = Int32Array.from(values, value => countSmaller(sorted, value))
  yield
  return percent => ({ how: 'percentile', values, ranks, percent })
}

/** Returns how many values are smaller. `sorted`: ascending. */
function countSmaller(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Rows of a result whose columns are the keys, then the sums. */
export function rowsOf<Name extends string>(
  keys: readonly KeyName[],
  sums: readonly (readonly [name: Name, how: Combine])[],
  columns: Columns,
): Rows<Name> {
  const ofSums = sums.map(([name, how], i) => [name, { how, values: floats(columns[keys.length + i]) }] as const)
  return { count: columns[0]?.length ?? 0, keys: keysIn(keys, columns), sums: new Map(ofSums) }
}

/** The key columns of a result, which precede its other columns. */
export function keysIn(names: readonly KeyName[], columns: Columns): Rows['keys'] {
  return Object.fromEntries(names.map((name, i) => [name, columns[i] ?? []]))
}

function floats(column: NumberColumn | undefined): Float64Array {
  if (column === undefined) return new Float64Array()
  if (column instanceof Float64Array) return column
  throw new TypeError('invariant: a sum is not a Float64')
}

/** The groups of a report, and each sum by group. */
export interface Folded<Name extends string = string> {
  readonly tree: GroupTree
  readonly sums: ReadonlyMap<Name, Float64Array>
}

/**
 * Adds every row to its groups. A group is the sum of the groups within it, or of its rows if these groups overlap, if values count once
 * or if there are percentiles. Works column by column, with a step for each pass: row by row took several times as long.
 */
export function* foldSteps<Name extends string>(
  rows: Rows<Name>,
  levels: readonly GroupingLevel[],
): Steps<Folded<Name>> {
  const tree = new GroupTree()
  const needsRows = [...rows.sums.values()].some(({ how }) => how === 'once' || how === 'percentile')
  const sources: LevelSource[] = []
  let entries = wholeReport(rows.count)
  for (const level of levels) {
    sources.push(needsRows || groupings[level.group].overlaps ? entries : 'groups within')
    const column = rows.keys[level.key]
    if (!column) throw new Error(`invariant: rows are grouped by ${level.key}`)
    const found = yield* findMembers(level, column)
    yield
    const { above, rows: ofEntries, positions } = spread(entries, found)
    yield
    entries = { rows: ofEntries, groups: tree.addLevel(above, positions, found.members) }
    yield
  }
  sources.push(entries)
  const sums = new Map<Name, Float64Array>()
  for (const [name, sum] of rows.sums) {
    sums.set(name, sumGroups(sum, tree, sources))
    yield
  }
  return { tree, sums }
}

/** All rows in the root group. */
function wholeReport(count: number): GroupedRows {
  const rows = new Int32Array(count)
  for (let row = 0; row < count; row++) rows[row] = row
  return { rows, groups: new Int32Array(count) }
}

/** The groups of each row on a level: several if groups overlap, none if a filter excludes the row. */
interface Found {
  /** By row: the number of its list of members. There are far fewer lists than rows. */
  readonly lists: Int32Array
  /** By list: index of its first member in `positions`; then the end of the last list. */
  readonly starts: Int32Array
  readonly positions: Int32Array
  readonly members: readonly (GroupMember | undefined)[]
}

function* findMembers(level: GroupingLevel, column: NumberColumn): Steps<Found> {
  const { lists, found } = yield* listsOf(level, column)
  level.arrange()
  yield
  const starts = new Int32Array(found.length + 1)
  for (let list = 0; list < found.length; list++) starts[list + 1] = (starts[list] ?? 0) + (found[list]?.length ?? 0)
  const positions = new Int32Array(starts.at(-1) ?? 0)
  let [to, last] = [0, -1]
  for (const list of found)
    for (const { position } of list) {
      positions[to++] = position
      last = Math.max(last, position)
    }
  const members = Array.from<GroupMember | undefined>({ length: last + 1 })
  for (const list of found) for (const member of list) members[member.position] = member
  return { lists, starts, positions, members }
}

function* listsOf(level: GroupingLevel, column: NumberColumn) {
  const found: (readonly GroupMember[])[] = []
  const known = new Map<KeyValue, number>()
  const lists = new Int32Array(column.length)
  for (let row = 0; row < column.length; row++) {
    const value = column[row] ?? 0
    let list = known.get(value)
    if (list === undefined) {
      known.set(value, (list = found.push(level.of(value)) - 1))
      yield
    }
    lists[row] = list
  }
  return { lists, found }
}

/** An entry for each group of each row. With one group per row, the usual case, entries stay unchanged. */
function spread({ rows, groups }: GroupedRows, { lists, starts, positions: positionsOf }: Found) {
  let count = 0
  let isOneEach = true
  for (let i = 0; i < rows.length; i++) {
    const list = lists[rows[i] ?? 0] ?? 0
    const length = (starts[list + 1] ?? 0) - (starts[list] ?? 0)
    count += length
    isOneEach &&= length === 1
  }
  const positions = new Int32Array(count)
  const into = isOneEach ? { rows, above: groups } : { rows: new Int32Array(count), above: new Int32Array(count) }
  let to = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    const group = groups[i] ?? 0
    const list = lists[row] ?? 0
    const end = starts[list + 1] ?? 0
    for (let from = starts[list] ?? 0; from < end; from++) {
      into.rows[to] = row
      into.above[to] = group
      positions[to++] = positionsOf[from] ?? 0
    }
  }
  return { ...into, positions }
}

/** Rows, ascending, with the group of each. */
interface GroupedRows {
  readonly rows: Int32Array
  readonly groups: Int32Array
}

/** Source of the sums of a level: rows, or the groups within its groups. */
type LevelSource = GroupedRows | 'groups within'

/** A sum by group; the identity element for a group without rows. */
function sumGroups(sum: RowSum, tree: GroupTree, levels: readonly LevelSource[]): Float64Array {
  const { how, values } = sum
  const into = new Float64Array(tree.size).fill(initialValue(how))
  for (const [level, source] of [...levels.entries()].reverse()) {
    if (source !== 'groups within') {
      if (how === 'once') countOnce(into, values, sum.numbers, source)
      else if (how === 'percentile') selectPercentiles(into, sum, source)
      else combineRows(into, values, source, how)
    } else if (how !== 'once' && how !== 'percentile') combineGroups(into, tree, level, how)
  }
  return into
}

function initialValue(how: RowSum['how']): number {
  if (how === 'once') return 0
  return how === 'percentile' ? Number.NaN : identityElements[how]
}

// Most sums are additions: they have a loop without branches.
function combineRows(into: Float64Array, values: Float64Array, { rows, groups }: GroupedRows, how: Combine): void {
  if (how === 'add') {
    for (let i = 0; i < rows.length; i++) {
      const group = groups[i] ?? 0
      into[group] = (into[group] ?? 0) + (values[rows[i] ?? 0] ?? 0)
    }
    return
  }
  const extreme = how === 'min' ? Math.min : Math.max
  for (let i = 0; i < rows.length; i++) {
    const group = groups[i] ?? 0
    into[group] = extreme(into[group] ?? 0, values[rows[i] ?? 0] ?? 0)
  }
}

/** Visits the entries in the order of their numbers, so that each group stores only its last number. */
function countOnce(into: Float64Array, values: Float64Array, numbers: Int32Array, { rows, groups }: GroupedRows): void {
  const order = computeOrder(rows, numbers)
  const last = new Int32Array(into.length).fill(-1)
  for (let i = 0; i < rows.length; i++) {
    const entry = order ? (order[i] ?? 0) : i
    const [row, group] = [rows[entry] ?? 0, groups[entry] ?? 0]
    const number = numbers[row] ?? 0
    if (last[group] === number) continue
    last[group] = number
    into[group] = (into[group] ?? 0) + (values[row] ?? 0)
  }
}

/** Visits the entries by value, so that each group selects the one with the number of its percentile. */
function selectPercentiles(
  into: Float64Array,
  { values, ranks, percent }: Percentile,
  { rows, groups }: GroupedRows,
): void {
  const counts = new Int32Array(into.length)
  const hasValue = (entry: number) => !Number.isNaN(values[rows[entry] ?? 0] ?? Number.NaN)
  for (let i = 0; i < rows.length; i++) {
    const group = groups[i] ?? 0
    if (hasValue(i)) counts[group] = (counts[group] ?? 0) + 1
  }
  const order = computeOrder(rows, ranks)
  const visited = new Int32Array(into.length)
  for (let i = 0; i < rows.length; i++) {
    const entry = order ? (order[i] ?? 0) : i
    if (!hasValue(entry)) continue
    const group = groups[entry] ?? 0
    const number = (visited[group] ?? 0) + 1
    visited[group] = number
    if (number === Math.ceil(((counts[group] ?? 0) * percent) / 100)) into[group] = values[rows[entry] ?? 0] ?? 0
  }
}

/** Order of the entries by the numbers of their rows, which are not negative; null: they are in this order. */
function computeOrder(rows: Int32Array, numbers: Int32Array): Int32Array | null {
  const ofEntries = new Int32Array(rows.length)
  let [isInOrder, max] = [true, 0]
  for (let i = 0; i < rows.length; i++) {
    const number = numbers[rows[i] ?? 0] ?? 0
    ofEntries[i] = number
    isInOrder &&= number >= (ofEntries[i - 1] ?? 0)
    max = Math.max(max, number)
  }
  return isInOrder ? null : inOrder(ofEntries, max + 1)
}

/** Combines the groups of a level from the groups within them, which are consecutive and in the same order. */
function combineGroups(into: Float64Array, tree: GroupTree, level: number, how: Combine): void {
  const end = tree.levelStart(level + 1)
  const extreme = how === 'min' ? Math.min : Math.max
  let child = end
  for (let group = tree.levelStart(level); group < end; group++) {
    const last = tree.firstWithin(group + 1)
    let all = into[group] ?? 0
    if (how === 'add') for (; child < last; child++) all += into[child] ?? 0
    else for (; child < last; child++) all = extreme(all, into[child] ?? 0)
    into[group] = all
  }
}
