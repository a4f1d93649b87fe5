import { type Combine, identityElements } from '../../../schema/sums.ts'
import { type GroupTree, inOrder } from './group-tree.ts'
import type { RowSum } from './rows.ts'

/** Rows in groups: the first of `rows` is in the first of `groups`, and so on. Rows ascend. */
export interface GroupedRows {
  readonly rows: Int32Array
  readonly groups: Int32Array
}

/** How a level's sums are made: of rows, or of the groups within its groups. */
export type LevelSource = GroupedRows | 'groups within'

/** A sum of every group, by number: that of nothing where it has no rows. `levels`: where each level's comes from. */
export function sumGroups(sum: RowSum, tree: GroupTree, levels: readonly LevelSource[]): Float64Array {
  const { how, values } = sum
  const into = new Float64Array(tree.size).fill(how === 'once' ? 0 : identityElements[how])
  for (const [level, source] of [...levels.entries()].reverse()) {
    if (source !== 'groups within') {
      if (how === 'once') countOnce(into, values, sum.numbers, source)
      else combineRows(into, values, source, how)
    } else if (how !== 'once') combineGroups(into, tree, level, how)
  }
  return into
}

// Nearly all sums just add up: those have loops of their own, which decide nothing.
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

/** Entries of one number are gone through one after the other, so that each group has to remember its last number alone. */
function countOnce(into: Float64Array, values: Float64Array, numbers: Int32Array, { rows, groups }: GroupedRows): void {
  const order = orderOf(rows, numbers)
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

/** Entries in the order of the numbers of their rows, which are not negative; null: they are in it. */
function orderOf(rows: Int32Array, numbers: Int32Array): Int32Array | null {
  const ofEntries = new Int32Array(rows.length)
  let [isInOrder, most] = [true, 0]
  for (let i = 0; i < rows.length; i++) {
    const number = numbers[rows[i] ?? 0] ?? 0
    ofEntries[i] = number
    isInOrder &&= number >= (ofEntries[i - 1] ?? 0)
    most = Math.max(most, number)
  }
  return isInOrder ? null : inOrder(ofEntries, most + 1)
}

/** The groups of a level from those within them, which follow one another: their order is that of the level. */
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
