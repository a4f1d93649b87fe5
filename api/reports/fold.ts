import { identity, sums, type SumName } from '../../schema/sums.ts'
import { keyNames, type KeyName } from './compile.ts'
import type { Columns, ColumnValue } from './columns.ts'
import { derivations } from './derive.ts'
import type { Dimension, Member } from './dimensions.ts'
import type { MeasureName } from './measures.ts'
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

/** Adds every row to the groups of all levels that it belongs to: each level from its own time, once where groups overlap. */
export function fold(plan: Plan, columns: Columns, dimensions: readonly Dimension[], plant: Plant): Group {
  const rows = readRows(plan, columns)
  const derive = deriver(plan, plant)
  const add = adder(plan.sums)
  const levels = dimensions.map(dimension => ({ ...dimension, values: rows.keys.get(dimension.key) ?? [] }))
  const delta = emptySums(plan.sums)
  const root = createGroup(null, plan.sums, levels.length === 0)

  const visit = (group: Group, level: number, i: number): void => {
    add(group.sums, delta)
    const next = levels[level]
    if (!next || !group.children) return
    for (const member of next.of(next.values[i] ?? 0)) {
      let child = group.children.get(member)
      if (!child) group.children.set(member, (child = createGroup(member, plan.sums, level + 1 === levels.length)))
      visit(child, level + 1, i)
    }
  }
  for (let i = 0; i < rows.count; i++) {
    derive(rows, i, delta)
    visit(root, 0, i)
  }
  return root
}

interface Rows {
  readonly count: number
  readonly keys: ReadonlyMap<KeyName, readonly ColumnValue[]>
  readonly measures: ReadonlyMap<MeasureName, readonly ColumnValue[]>
}

function readRows(plan: Plan, columns: Columns): Rows {
  const names = keyNames(plan)
  const at = (index: number) => columns[index] ?? []
  return {
    count: at(0).length,
    keys: new Map(names.map((name, i) => [name, at(i)])),
    measures: new Map(plan.measures.map((name, i) => [name, at(names.length + i)])),
  }
}

/** Writes what row i adds to each sum. */
function deriver(plan: Plan, plant: Plant): (rows: Rows, i: number, into: Float64Array) => void {
  const formulas = plan.sums.map(sum => derivations[sum].value)
  const worthAt = worths(plant)
  const row = recordOf(plan.measures, 0)
  return (rows, i, into) => {
    for (const [name, values] of rows.measures) row[name] = numberAt(values, i)
    const worth = worthAt(refAt(rows, 'machine', i, plan), refAt(rows, 'run', i, plan))
    for (let s = 0; s < formulas.length; s++) into[s] = formulas[s]?.(row, worth) ?? 0
  }
}

/** 0 where rows aren't told apart by it; a team is no machine. */
function refAt(rows: Rows, key: 'machine' | 'run', i: number, { keys }: Plan): number {
  if (key === 'machine' && keys.machine !== 'yes') return 0
  const value = rows.keys.get(key)?.[i]
  return typeof value === 'number' ? value : 0
}

/** Remembers the worth of each machine and run. */
function worths(plant: Plant): (machine: number, run: number) => Worth {
  const known = new Map<number, Map<number, Worth>>()
  return (machine, run) => {
    let ofMachine = known.get(machine)
    if (!ofMachine) known.set(machine, (ofMachine = new Map()))
    let worth = ofMachine.get(run)
    if (!worth) ofMachine.set(run, (worth = plant.worth(machine, run)))
    return worth
  }
}

function numberAt(values: readonly ColumnValue[], i: number): number {
  const value = values[i]
  return typeof value === 'number' ? value : NaN
}

function createGroup(member: Member | null, names: readonly SumName[], isLast: boolean): Group {
  return { member, sums: emptySums(names), children: isLast ? null : new Map() }
}

function emptySums(names: readonly SumName[]): Float64Array {
  return Float64Array.from(names, name => identity[sums[name]])
}

function adder(names: readonly SumName[]): (into: Float64Array, delta: Float64Array) => void {
  const combines = names.map(name => sums[name])
  return (into, delta) => {
    for (let s = 0; s < combines.length; s++) {
      const a = into[s] ?? 0
      const b = delta[s] ?? 0
      const how = combines[s]
      into[s] = how === 'add' ? a + b : how === 'min' ? Math.min(a, b) : Math.max(a, b)
    }
  }
}
