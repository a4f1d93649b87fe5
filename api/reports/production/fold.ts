import { groupings } from '../../../schema/groupings.ts'
import { keyNames } from './compile.ts'
import type { NumberColumn } from '../../../clickhouse/native.ts'
import type { Columns } from '../columns.ts'
import type { Dimension } from '../dimensions.ts'
import type { DimensionKey } from '../entities.ts'
import { GroupSums } from './group-sums.ts'
import { type Group, GroupTree, root } from './group-tree.ts'
import type { Plan } from './plan.ts'

/** The groups of a report, and their sums: see `GroupSums`. */
export interface Folded {
  readonly tree: GroupTree
  readonly sums: Float64Array
}

/**
 * Adds every row to the groups that it belongs to. A level is computed from its own time: the sum of its children where they
 * partition it, its rows, once each, where they overlap.
 */
export function fold(plan: Plan, columns: Columns, dimensions: readonly Dimension[]): Folded {
  const tree = new GroupTree()
  const sums = new GroupSums(plan.sums)
  const keys: readonly DimensionKey[] = keyNames(plan)
  const values = columns.slice(keys.length).map(floats)
  const levels = dimensions.map(dimension => ({
    dimension,
    overlaps: groupings[dimension.group].overlaps,
    values: columns[keys.indexOf(dimension.key)] ?? [],
  }))
  const visit = (group: Group, level: number, row: number): void => {
    const next = levels[level]
    sums.reach(group)
    if (!next || next.overlaps) sums.addRow(group, values, row)
    if (!next) return
    for (const member of next.dimension.of(next.values[row] ?? 0)) visit(tree.within(group, member), level + 1, row)
  }
  const rows = columns[0]?.length ?? 0
  sums.reach(root)
  for (let row = 0; row < rows; row++) visit(root, 0, row)
  rollUp(
    tree,
    sums,
    levels.map(({ overlaps }) => overlaps),
  )
  return { tree, sums: sums.values }
}

/** Adds groups to the one that they lie in, the deepest first, where its groups don't overlap. */
function rollUp(tree: GroupTree, sums: GroupSums, overlaps: readonly boolean[]): void {
  const levels = new Uint8Array(tree.size)
  for (let group = 1; group < tree.size; group++) levels[group] = (levels[tree.parentOf(group)] ?? 0) + 1
  for (let group = tree.size - 1; group > root; group--)
    if (!overlaps[(levels[group] ?? 1) - 1]) sums.addGroup(tree.parentOf(group), group)
}

function floats(column: NumberColumn): Float64Array {
  if (column instanceof Float64Array) return column
  if (column.length === 0) return new Float64Array()
  throw new TypeError('invariant: a sum is no Float64')
}
