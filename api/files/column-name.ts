import { rawSql, type Sql } from '../../clickhouse/sql/sql.ts'

/** A column of a file, by the names of groupings and metrics, or of the code; several where one column of the query holds several. */
export function columnName(...names: readonly string[]): Sql {
  for (const name of names) if (!/^\w+$/.test(name)) throw new TypeError(`Not a column: ${JSON.stringify(name)}`)
  return rawSql(`\`${names.join(',')}\``)
}
