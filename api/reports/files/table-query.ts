import { ident, join, type Sql, sql, uint32, uint8, float64 } from '../../../clickhouse/sql/sql.ts'
import { type MetricName, metrics } from '../../../schema/metrics.ts'
import { type Combine, type SumName, sums } from '../../../schema/sums.ts'
import { columnName } from '../../files/parquet.ts'
import type { KeyName } from '../query/query.ts'
import { exportNames } from '../../../clickhouse/tables/exports.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { isExport, type ExportSnapshot } from './export-snapshot.ts'
import { roundedSql } from '../present/metric-values.ts'
import type { Formula } from '../../../schema/formula.ts'

/** A level of grouping in the rows of a file: its cells and the rows that have them. */
export interface TableLevel {
  readonly key: KeyName
  readonly members: readonly TableMember[]
  /** Whether rows of different keys are in different groups, and none is in two. */
  readonly isOneToOne: boolean
}

interface TableMember {
  readonly cells: readonly (string | null)[]
  /** Key values of its rows, as texts: refs of operators with commas between. */
  readonly keys: readonly string[]
}

/** The sources of a file's rows: a snapshot, and names in `export_names`. */
interface TableSources {
  readonly snapshot: Pick<ExportSnapshot, 'companyRef' | 'id' | 'relation'>
  readonly levels: readonly TableLevel[]
  readonly sums: readonly SumName[]
  readonly metrics: readonly MetricName[]
}

/** A column of the query, with its names in the file; `as` converts a text or a metric, Nullable(Float64). */
export type TableColumn = { readonly names: readonly string[]; readonly as: (value: Sql) => Sql } & (
  | { readonly from: 'level'; readonly level: number; readonly cell: number }
  | { readonly from: 'metric'; readonly metric: MetricName }
)

/** Pure: the rows of a report's file, in order: its deepest groups with time. */
export function tableQuery(sources: TableSources, columns: readonly TableColumn[]): Sql {
  const places = sources.levels.map((_, level) => place(level))
  const names = columns.flatMap(column => (column.from === 'level' ? [namesOf(sources, column)] : []))
  const formulas = sources.metrics.map(
    name => sql`${formulaSql(metrics[name].formula, sumColumn)} AS ${ident(`m_${name}`)}`,
  )
  const hasOwnGroups = sources.levels.every(level => level.isOneToOne)
  return sql`
WITH ${join(names)}
SELECT ${join(columns.map(column => sql`${column.as(valueOf(column))} AS ${columnName(...column.names)}`))}
FROM (
  SELECT ${join([...places, ...formulas])}
  FROM (${hasOwnGroups ? rowsInPlace(sources) : groupsInPlace(sources)})
  WHERE sum_allMs > 0)
ORDER BY ${join(places)}`
}

/** Every row with its place in each level. */
function rowsInPlace(sources: TableSources): Sql {
  const places = sources.levels.map(({ key }, level) => sql`${placeOf(sources, key, level)} AS ${place(level)}`)
  return sql`SELECT ${join([...places, ...sources.sums.map(sumColumn)])} FROM (${sources.snapshot.relation})`
}

/** Looked up in an array: a join would copy all columns. */
function placeOf({ snapshot }: TableSources, key: KeyName, level: number): Sql {
  const keys = sql`(SELECT groupArray(${keyFrom(key, sql`key`)}) FROM (${keysOfLevel(snapshot, level)}))`
  const places = sql`(SELECT groupArray(place) FROM (${keysOfLevel(snapshot, level)}))`
  return sql`transform(${keyText(key)}, ${keys}, ${places}, toUInt32(0))`
}

function keysOfLevel(snapshot: TableSources['snapshot'], level: number): Sql {
  return sql`SELECT arrayJoin(keys) AS key, place ${ofLevel(snapshot, level)} ORDER BY place, key`
}

/** Groups that overlap, or that several rows belong to: rows in each of their groups, added up. */
function groupsInPlace(sources: TableSources): Sql {
  const { snapshot, levels } = sources
  const joined = levels.map(
    ({ key }, level) => sql`
  INNER JOIN (SELECT ${keyFrom(key, sql`arrayJoin(keys)`)} AS ${ident(`key_${level}`)}, place AS ${place(level)}
    ${ofLevel(snapshot, level)}) AS ${ident(`level_${level}`)} ON ${keyText(key)} = ${ident(`key_${level}`)}`,
  )
  const places = levels.map((_, level) => place(level))
  const added = sources.sums.map(
    name => sql`${combine[sums[name]](sql`added.${sumColumn(name)}`)} AS ${sumColumn(name)}`,
  )
  return sql`SELECT ${join([...places, ...added])}
  FROM (${snapshot.relation}) AS added ${join(joined, sql``)}
  GROUP BY ${join(places)}`
}

const combine: Readonly<Record<Combine, (column: Sql) => Sql>> = {
  add: column => sql`sumKahan(${column})`,
  min: column => sql`min(${column})`,
  max: column => sql`max(${column})`,
}

/** A row's key, as keys are written in `export_names`: refs are numbers there too. */
function keyText(key: KeyName): Sql {
  return key === 'operators' ? sql`arrayStringConcat(k_operators, ',')` : ident(`k_${key}`)
}

function keyFrom(key: KeyName, text: Sql): Sql {
  return key === 'operators' ? text : sql`toUInt32(${text})`
}

/** The names of a column as one array by place. */
function namesOf({ snapshot }: TableSources, { level, cell }: { readonly level: number; readonly cell: number }): Sql {
  return sql`(SELECT groupArray(cell) FROM (
  SELECT cells[${uint32(cell + 1)}] AS cell ${ofLevel(snapshot, level)} ORDER BY place)) AS ${names(level, cell)}`
}

function valueOf(column: TableColumn): Sql {
  if (column.from === 'level') return sql`${names(column.level, column.cell)}[${place(column.level)} + 1]`
  const value = roundedSql(ident(`m_${column.metric}`))
  return sql`if(isFinite(${ident(`m_${column.metric}`)}), ${value}, NULL)`
}

function ofLevel({ companyRef, id }: TableSources['snapshot'], level: number): Sql {
  return from(exportNames, companyRef, { where: [isExport(id), sql`level = ${uint8(level)}`] })
}

function place(level: number): Sql {
  return ident(`place_${level}`)
}

function names(level: number, cell: number): Sql {
  return ident(`names_${level}_${cell}`)
}

function sumColumn(name: SumName): Sql {
  return ident(`sum_${name}`)
}

/** Pure: a formula as SQL over columns of sums, Float64, with nan where there is no such number: the same as `computation` gives. */
export function formulaSql(formula: Formula, column: (name: SumName) => Sql): Sql {
  const of = (part: Formula) => formulaSql(part, column)
  switch (formula.op) {
    case 'sum':
      return column(formula.name)
    case 'number':
      return sql`toFloat64(${float64(formula.value)})`
    case 'plus':
      return sql`(${of(formula.left)} + ${of(formula.right)})`
    case 'minus':
      return sql`(${of(formula.left)} - ${of(formula.right)})`
    case 'over':
      return sql`if(${of(formula.right)} = 0, nan, ${of(formula.left)} / ${of(formula.right)})`
    case 'clamp':
      return clamped(of(formula.of), formula.low, formula.high)
    case 'aboveZero':
      return sql`if(${of(formula.of)} > 0, ${of(formula.of)}, nan)`
    case 'finite':
      return sql`if(isFinite(${of(formula.of)}), ${of(formula.of)}, nan)`
    case 'product':
      return product(formula.factors.map(of))
    case 'where':
      return sql`if(isNaN(${of(formula.condition)}), nan, ${of(formula.value)})`
  }
}

/** Comparisons with nan are false. */
function clamped(value: Sql, low: number, high: number): Sql {
  const atLeast = sql`if(${value} < ${float64(low)}, ${float64(low)}, ${value})`
  return Number.isFinite(high) ? sql`if(${value} > ${float64(high)}, ${float64(high)}, ${atLeast})` : atLeast
}

function product(factors: readonly Sql[]): Sql {
  const isZero = join(
    factors.map(factor => sql`${factor} = 0`),
    sql` OR `,
  )
  return sql`if(${isZero}, 0, ${join(factors, sql` * `)})`
}
