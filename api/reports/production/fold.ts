import { groupings } from '../../../schema/groupings.ts'
import { type Combine, identity, sums, type SumName } from '../../../schema/sums.ts'
import { keyNames } from './compile.ts'
import type { NumberColumn } from '../../../clickhouse/native.ts'
import type { Columns } from '../columns.ts'
import type { Dimension, Member } from '../dimensions.ts'
import type { DimensionKey } from '../entities.ts'
import type { Plan } from './plan.ts'

/** A group of a level, with the groups of the next level within it. */
export interface Group {
  /** Where its sums begin in those of the report. */
  readonly at: number
  /** null on the last level. */
  readonly children: Map<Member, Group> | null
}

/** The groups of a report. */
export interface Folded {
  /** The whole report. */
  readonly root: Group
  /** Of all groups, one after the other, each in the order of the plan's. */
  readonly sums: Float64Array
}

/**
 * Adds every row to the groups that it belongs to. A level is computed from its own time: the sum of its children where they
 * partition it, its rows, once each, where they overlap.
 */
export function fold(plan: Plan, columns: Columns, dimensions: readonly Dimension[]): Folded {
  const groups = new Groups(plan.sums)
  const keys: readonly DimensionKey[] = keyNames(plan)
  const values = columns.slice(keys.length).map(floats)
  const levels = dimensions.map(dimension => ({
    dimension,
    overlaps: groupings[dimension.group].overlaps,
    values: columns[keys.indexOf(dimension.key)] ?? [],
  }))
  const root = groups.create(levels.length > 0)
  // Rows come in the order of the first grouping: mostly it's the same group again.
  let [last, ofLast]: [Member | null, Group] = [null, root]

  const childOf = (group: Group, children: Map<Member, Group>, member: Member, level: number): Group => {
    if (group === root && member === last) return ofLast
    let child = children.get(member)
    if (!child) children.set(member, (child = groups.create(level + 1 < levels.length)))
    if (group === root) [last, ofLast] = [member, child]
    return child
  }
  const visit = (group: Group, level: number, row: number): void => {
    const next = levels[level]
    if (!next || next.overlaps) groups.addRow(group, values, row)
    if (!next || !group.children) return
    for (const member of next.dimension.of(next.values[row] ?? 0))
      visit(childOf(group, group.children, member, level), level + 1, row)
  }
  const rows = columns[0]?.length ?? 0
  for (let row = 0; row < rows; row++) visit(root, 0, row)

  const rollUp = (group: Group, level: number): void => {
    if (!group.children) return
    const overlaps = levels[level]?.overlaps === true
    for (const child of group.children.values()) {
      rollUp(child, level + 1)
      if (!overlaps) groups.addGroup(group, child)
    }
  }
  rollUp(root, 0)
  return { root, sums: groups.sums }
}

/** The sums of all groups in one array: a report has up to millions of them. */
class Groups {
  #sums = new Float64Array(1024)
  #length = 0
  readonly #nothing: readonly number[]
  // Most sums just add up: the few extremes have lists of their own, so that the loop over all rows decides nothing.
  readonly #added: readonly number[]
  readonly #lowest: readonly number[]
  readonly #highest: readonly number[]

  constructor(names: readonly SumName[]) {
    const indexesOf = (how: Combine) => names.flatMap((name, index) => (sums[name] === how ? [index] : []))
    this.#nothing = names.map(name => identity[sums[name]])
    this.#added = indexesOf('add')
    this.#lowest = indexesOf('min')
    this.#highest = indexesOf('max')
  }

  get sums(): Float64Array {
    return this.#sums
  }

  create(hasChildren: boolean): Group {
    const at = this.#length
    this.#length += this.#nothing.length
    if (this.#length > this.#sums.length) this.#grow()
    this.#sums.set(this.#nothing, at)
    return { at, children: hasChildren ? new Map() : null }
  }

  addRow({ at }: Group, values: readonly Float64Array[], row: number): void {
    const into = this.#sums
    for (const s of this.#added) into[at + s] = (into[at + s] ?? 0) + (values[s]?.[row] ?? 0)
    for (const s of this.#lowest) into[at + s] = Math.min(into[at + s] ?? 0, values[s]?.[row] ?? 0)
    for (const s of this.#highest) into[at + s] = Math.max(into[at + s] ?? 0, values[s]?.[row] ?? 0)
  }

  addGroup({ at }: Group, { at: from }: Group): void {
    const into = this.#sums
    for (const s of this.#added) into[at + s] = (into[at + s] ?? 0) + (into[from + s] ?? 0)
    for (const s of this.#lowest) into[at + s] = Math.min(into[at + s] ?? 0, into[from + s] ?? 0)
    for (const s of this.#highest) into[at + s] = Math.max(into[at + s] ?? 0, into[from + s] ?? 0)
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#sums.length)
    larger.set(this.#sums)
    this.#sums = larger
  }
}

function floats(column: NumberColumn): Float64Array {
  if (column instanceof Float64Array) return column
  if (column.length === 0) return new Float64Array()
  throw new TypeError('invariant: a sum is no Float64')
}
