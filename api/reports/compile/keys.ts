import { array, empty, ident, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { KeyName } from '../query/columns.ts'
import { keyNames, type ReportPlan } from '../plan/plan.ts'

/** The part of a plan that key columns are made of. */
type KeyScope = Pick<ReportPlan, 'keys' | 'cellsMs'>

/** SQL of each key, over pieces that have its columns; `at` is the second in which a piece's cell begins. */
const keySql: Readonly<Record<KeyName, (plan: KeyScope) => Sql>> = {
  // The last bound not after the cell's start: every bound is the start of a cell.
  cell: ({ cellsMs }) => sql`toUInt32(roundDown(at, ${seconds(cellsMs)}))`,
  machine: ({ keys: { machine, machineGroupSets } }) => (machine === 'set' ? setOf(machineGroupSets) : sql`machine`),
  shift: () => sql`shift`,
  run: () => sql`run`,
  operation: () => sql`run_operation`,
  operators: () => sql`operators`,
  reason: () => sql`reason`,
  state: () => sql`level`,
  nativeCode: () => sql`native`,
}

/** The key columns of pieces, each as `k_<name>`. */
export function keyColumns(plan: KeyScope, names = keyNames(plan)): readonly Sql[] {
  return names.map(name => sql`${keySql[name](plan)} AS ${keyColumn(name)}`)
}

export function keyColumn(name: KeyName): Sql {
  return ident(`k_${name}`)
}

/**
 * A GROUP BY of groups that have rows; empty without grouping. If the engine detects late that all columns are constant
 * (an operation without a run in the range), it returns one group without rows.
 */
export function groupedBy(columns: readonly Sql[]): Sql {
  return columns.length > 0 ? sql`GROUP BY ${join(columns)} HAVING count() > 0` : empty
}

/** Instants (UTC ms) as an array of seconds. */
export function seconds(instantsMs: readonly number[]) {
  return array(
    uint32,
    instantsMs.map(ms => ms / 1000),
  )
}

function setOf(sets: ReadonlyMap<number, number>): Sql {
  return sql`transform(machine, ${array(uint32, [...sets.keys()])}, ${array(uint32, [...sets.values()])}, toUInt32(0))`
}
