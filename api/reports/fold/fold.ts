import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import { groupings } from '../../../schema/groupings.ts'
import { runSync, type Steps } from '../../../shared/async/steps.ts'
import type { KeyValue } from '../query/columns.ts'
import type { GroupingLevel } from '../groupings/grouping-levels.ts'
import type { GroupMember } from '../groupings/member.ts'
import { type GroupedRows, type LevelSource, sumGroups } from './group-sums.ts'
import { GroupTree } from './group-tree.ts'
import type { Rows } from './rows.ts'

/** The groups of a report, and their sums: each by group. */
export interface Folded<Name extends string = string> {
  readonly tree: GroupTree
  readonly sums: ReadonlyMap<Name, Float64Array>
}

/**
 * Adds every row to the groups that it belongs to. A group is the sum of the groups within it where these partition it.
 * Where they overlap, or where something is to count once, it is the sum of its rows, each once. Works column by column:
 * row by row took several times as long.
 */
export function fold<Name extends string>(rows: Rows<Name>, levels: readonly GroupingLevel[]): Folded<Name> {
  return runSync(folding(rows, levels))
}

/** As `fold`, in steps: one for each pass over the rows. */
export function* folding<Name extends string>(rows: Rows<Name>, levels: readonly GroupingLevel[]): Steps<Folded<Name>> {
  const tree = new GroupTree()
  const countsOnce = [...rows.sums.values()].some(({ how }) => how === 'once')
  const sources: LevelSource[] = []
  let entries = wholeReport(rows.count)
  for (const level of levels) {
    sources.push(countsOnce || groupings[level.group].overlaps ? entries : 'groups within')
    const column = rows.keys[level.key]
    if (!column) throw new Error(`invariant: rows are grouped by ${level.key}`)
    const found = findMembers(level, column)
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

/** All rows, in the only group that there is before any level. */
function wholeReport(count: number): GroupedRows {
  const rows = new Int32Array(count)
  for (let row = 0; row < count; row++) rows[row] = row
  return { rows, groups: new Int32Array(count) }
}

/** The groups of each row on a level: several if groups overlap, none if a filter excludes the row. */
interface Found {
  /** By row: the number of its list of members. There are far fewer lists than rows. */
  readonly lists: Int32Array
  /**
   * By list: where its members begin among `positions`. One more value at the end: where the last list's members end.
   */
  readonly starts: Int32Array
  readonly positions: Int32Array
  /** By position. */
  readonly members: readonly (GroupMember | undefined)[]
}

function findMembers(level: GroupingLevel, column: NumberColumn): Found {
  const { lists, found } = listsOf(level, column)
  level.arrange()
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

function listsOf(level: GroupingLevel, column: NumberColumn) {
  const found: (readonly GroupMember[])[] = []
  const known = new Map<KeyValue, number>()
  const lists = new Int32Array(column.length)
  for (let row = 0; row < column.length; row++) {
    const value = column[row] ?? 0
    let list = known.get(value)
    if (list === undefined) known.set(value, (list = found.push(level.of(value)) - 1))
    lists[row] = list
  }
  return { lists, found }
}

/**
 * Creates an entry for each group of each row. If each row has one group, the usual case, the entries stay unchanged.
 */
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
