import { groupings } from '../../schema/groupings.ts'
import { type Combine, identity, sums, type SumName } from '../../schema/sums.ts'
import { keyNames } from './compile.ts'
import type { Columns, ColumnValue } from './columns.ts'
import type { DimensionKey } from './entities.ts'
import { derivations, type MeasureColumns } from './derive.ts'
import type { Dimension, Member } from './dimensions.ts'
import { type MeasureName, measureNames } from './measures.ts'
import type { Plan } from './plan.ts'
import type { Plant } from './plant.ts'
import { recordOf } from './record-of.ts'
import type { Worth } from './worth.ts'

/** A group of a level, with the groups of the next level within it. */
export interface Group {
  /** null: the whole report. */
  readonly member: Member | null
  /** Sums in the order of the plan's. */
  readonly sums: Float64Array
  /** null on the last level. */
  readonly children: Map<Member, Group> | null
}

/**
 * Adds every row to the groups that it belongs to. A level is computed from its own time: the sum of its children where they
 * partition it, its rows, once each, where they overlap.
 */
export function fold(plan: Plan, columns: Columns, dimensions: readonly Dimension[], plant: Plant): Group {
  const rows = readRows(plan, columns)
  const derive = deriver(plan, plant, rows)
  const add = adder(plan.sums)
  const levels = dimensions.map(dimension => ({
    ...dimension,
    overlaps: groupings[dimension.group].overlaps,
    values: rows.keys.get(dimension.key) ?? [],
  }))
  const nothing = Float64Array.from(plan.sums, name => identity[sums[name]])
  const createGroup = (member: Member | null, level: number): Group => ({
    member,
    sums: nothing.slice(),
    children: level === levels.length ? null : new Map(),
  })
  const delta = nothing.slice()
  const root = createGroup(null, 0)

  const visit = (group: Group, level: number, i: number): void => {
    const next = levels[level]
    if (!next || next.overlaps) add(group.sums, delta)
    if (!next || !group.children) return
    for (const member of next.of(next.values[i] ?? 0)) {
      let child = group.children.get(member)
      if (!child) group.children.set(member, (child = createGroup(member, level + 1)))
      visit(child, level + 1, i)
    }
  }
  for (let i = 0; i < rows.count; i++) {
    derive(i, delta)
    visit(root, 0, i)
  }
  const rollUp = (group: Group, level: number): void => {
    const { overlaps } = levels[level] ?? { overlaps: true }
    for (const child of group.children?.values() ?? []) {
      rollUp(child, level + 1)
      if (!overlaps) add(group.sums, child.sums)
    }
  }
  rollUp(root, 0)
  return root
}

interface Rows {
  readonly count: number
  readonly keys: ReadonlyMap<DimensionKey, readonly ColumnValue[]>
  readonly measures: MeasureColumns
}

function readRows(plan: Plan, columns: Columns): Rows {
  const names = keyNames(plan)
  const measures = recordOf<MeasureName, readonly (number | null)[]>(measureNames, [])
  plan.measures.forEach((name, i) => (measures[name] = numbers(columns[names.length + i] ?? [])))
  return {
    count: columns[0]?.length ?? 0,
    keys: new Map(names.map((name, i) => [name, columns[i] ?? []])),
    measures,
  }
}

function numbers(column: readonly ColumnValue[]): readonly (number | null)[] {
  if (isNumeric(column)) return column
  throw new Error('invariant: a measure is no number')
}

function isNumeric(column: readonly ColumnValue[]): column is readonly (number | null)[] {
  return column.every(value => typeof value !== 'object' || value === null)
}

/** Writes what row i adds to each sum. */
function deriver(plan: Plan, plant: Plant, rows: Rows): (i: number, into: Float64Array) => void {
  const formulas = plan.sums.map((sum): Formula => {
    const { same, value } = derivations[sum]
    const column = same === null ? [] : rows.measures[same]
    return same === null ? (i, worth) => value(rows.measures, i, worth) : i => column[i] ?? 0
  })
  const machines = plan.keys.machine === 'yes' ? rows.keys.get('machine') : undefined
  const runs = rows.keys.get('run')
  return (i, into) => {
    const worth = plant.worth(refAt(machines, i), refAt(runs, i))
    for (let s = 0; s < formulas.length; s++) into[s] = formulas[s]?.(i, worth) ?? 0
  }
}

type Formula = (i: number, worth: Worth) => number

/** 0 where rows aren't told apart by it. */
function refAt(column: readonly ColumnValue[] | undefined, i: number): number {
  const value = column?.[i]
  return typeof value === 'number' ? value : 0
}

/** Most sums just add up: the few extremes have a list of their own, so that the loop over all rows decides nothing. */
function adder(names: readonly SumName[]): (into: Float64Array, delta: Float64Array) => void {
  const indexesOf = (how: Combine) => names.flatMap((name, index) => (sums[name] === how ? [index] : []))
  const [added, lowest, highest] = [indexesOf('add'), indexesOf('min'), indexesOf('max')]
  return (into, delta) => {
    for (const s of added) into[s] = (into[s] ?? 0) + (delta[s] ?? 0)
    for (const s of lowest) into[s] = Math.min(into[s] ?? 0, delta[s] ?? 0)
    for (const s of highest) into[s] = Math.max(into[s] ?? 0, delta[s] ?? 0)
  }
}
