import { array, float64, ident, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'
import { type LookedUp, thresholdColumns } from '../job-run-lookup.ts'
import type { CompanyView } from '../company-view.ts'
import type { StandardName } from './sum-columns.ts'

/** What pieces are standards, as SQL beside them. */
export interface JobStandards {
  readonly columns: readonly StandardSql[]
  /** Columns of `job_runs` that must be looked up by the pieces' run. */
  readonly looked: readonly LookedUp[]
}

export interface StandardSql {
  readonly name: StandardName
  /** Reads what was looked up, each as `run_<name>`: see `job-run-lookup.ts`. */
  readonly sql: Sql
}

/** Pure: the columns asked for; runs are only looked up where any record makes their values differ. */
export function standardColumns(names: readonly StandardName[], view: CompanyView): JobStandards {
  const found = [...new Set(names)].map(name => ({ name, told: standardSql(name, view) }))
  return {
    columns: found.map(({ name, told }) => ({ name, sql: told.sql })),
    looked: found.flatMap(({ told }) => told.looks),
  }
}

interface Told {
  readonly sql: Sql
  readonly looks: readonly LookedUp[]
}

function standardSql(name: StandardName, view: CompanyView): Told {
  return isThreshold(name) ? threshold(name, view) : ofRun[name](view)
}

function isThreshold(name: StandardName): name is keyof Thresholds {
  return Object.hasOwn(thresholdColumns, name)
}

const ofRun: Readonly<Record<Exclude<StandardName, keyof Thresholds>, (view: CompanyView) => Told>> = {
  multiplier: ({ differs }) =>
    differs.multipliers
      ? { sql: sql`if(run_multiplier = 0, 1, run_multiplier)`, looks: ['multiplier'] }
      : { sql: sql`1`, looks: [] },
  ideal_part_ms: () => ({ sql: sql`run_ideal_part_ms`, looks: ['ideal_part_ms'] }),
  expected_part_ms: () => ({ sql: sql`run_expected_part_ms`, looks: ['expected_part_ms'] }),
  expected_setup_ms: () => ({ sql: sql`run_expected_setup_ms`, looks: ['expected_setup_ms'] }),
}

/** The operation's, else the machine's, else the company's. */
function threshold(name: keyof Thresholds, view: CompanyView): Told {
  const ofCompany = sql`toFloat64(${float64(view.company.settings.thresholds[name])})`
  const ofMachine = view.differs.machineThresholds ? machineThreshold(name, view, ofCompany) : ofCompany
  if (!view.differs.runThresholds) return { sql: ofMachine, looks: [] }
  const column = thresholdColumns[name]
  const own = ident(`run_${column}`)
  return { sql: sql`if(isNaN(${own}), ${ofMachine}, ${own})`, looks: [column] }
}

function machineThreshold(name: keyof Thresholds, { machines }: CompanyView, otherwise: Sql): Sql {
  const own = machines.flatMap(({ ref, thresholds: { [name]: value } }) =>
    typeof value === 'number' ? [{ ref, value }] : [],
  )
  const refs = own.map(({ ref }) => ref)
  const values = own.map(({ value }) => value)
  return own.length === 0
    ? otherwise
    : sql`transform(machine, ${array(uint32, refs)}, ${array(float64, values)}, ${otherwise})`
}
