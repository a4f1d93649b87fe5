import { type Combine, identity, sums, type SumName } from '../../../schema/sums.ts'
import type { GroupTree } from './group-tree.ts'

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
    if (source === 'groups within') combineGroups(into, tree, level, how)
    else combineRows(into, values, source, how)
  }
  return into
}

// Nearly all sums just add up: those have loops of their own, which decide nothing.
function combineRows(into: Float64Array, values: Float64Array, { rows, groups }: Entries, how: Combine): void {
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
