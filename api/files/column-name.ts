import { rawSql, type Sql } from '../../clickhouse/sql/sql.ts'

/**
 * The column of a file that belongs to a column of the query, named after a grouping, a metric or a constant; several
 * names if the column of the query contains several.
 */
export function columnName(...names: readonly string[]): Sql {
  for (const name of names) if (!/^\w+$/.test(name)) throw new TypeError(`Not a column: ${JSON.stringify(name)}`)
  return rawSql(`\`${names.join(',')}\``)
}
