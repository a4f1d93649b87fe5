import { type Combine, identity, sums, type SumName } from '../../../schema/sums.ts'
import type { Group, GroupTree } from './group-tree.ts'

/** Rows in groups: the first of `rows` is in the first of `groups`, and so on. */
export interface Entries {
  readonly rows: Int32Array
  readonly groups: Int32Array
}

/** How a level's sums are made: of rows, or of the groups within its groups. */
export type LevelSource = Entries | 'groups within'

/** A sum of every group, by number: that of nothing where it has no rows. `levels`: where each level's comes from. */
export function sumGroups(
  name: SumName,
  values: Float64Array,
  tree: GroupTree,
  levels: readonly LevelSource[],
): Float64Array {
  const how = sums[name]
  const into = new Float64Array(tree.size).fill(identity[how])
  for (const [level, source] of [...levels.entries()].reverse()) {
    if (source === 'groups within') addGroups(into, tree, level, how)
    else addRows(into, values, source, how)
  }
  return into
}

function addRows(into: Float64Array, values: Float64Array, { rows, groups }: Entries, how: Combine): void {
  for (let i = 0; i < rows.length; i++) {
    const group = groups[i] ?? 0
    into[group] = combined(how, into[group] ?? 0, values[rows[i] ?? 0] ?? 0)
  }
}

function addGroups(into: Float64Array, tree: GroupTree, level: number, how: Combine): void {
  const end = tree.levelStart(level + 1)
  let child: Group = end
  for (let group = tree.levelStart(level); group < end; group++) {
    const last = tree.firstWithin(group + 1)
    let sum = into[group] ?? 0
    for (; child < last; child++) sum = combined(how, sum, into[child] ?? 0)
    into[group] = sum
  }
}

function combined(how: Combine, a: number, b: number): number {
  return how === 'add' ? a + b : how === 'min' ? Math.min(a, b) : Math.max(a, b)
}
