import { array, int64, type Sql, sql, str, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { LiveValue } from '../../live/values/latest-values.ts'

/**
 * Selects latest values that may not be stored yet, as rows with the columns machine, key, type, subtype, value, at_us.
 * They replace stored rows of the same machine, key, type and subtype.
 */
export function selectRecentValues(values: readonly LiveValue[]): Sql {
  const columns = [
    array(
      uint32,
      values.map(({ machineRef }) => machineRef),
    ),
    array(
      str,
      values.map(({ key }) => key),
    ),
    array(
      str,
      values.map(({ type }) => type),
    ),
    array(
      str,
      values.map(({ subtype }) => subtype),
    ),
    array(
      str,
      values.map(({ value }) => value),
    ),
    array(
      int64,
      values.map(({ atUs }) => atUs),
    ),
  ] as const
  const [machines, keys, types, subtypes, texts, times] = columns
  return sql`
    SELECT machine, key, type, subtype, value, at_us FROM (SELECT 1)
    ARRAY JOIN ${machines} AS machine, ${keys} AS key, ${types} AS type, ${subtypes} AS subtype, ${texts} AS value, ${times} AS at_us`
}

/** Condition: none of the recent values replaces the stored row. */
export function isNotRecent(values: readonly LiveValue[]): Sql {
  const names = sql`
    SELECT machine, key, type, subtype FROM (SELECT 1)
    ARRAY JOIN ${array(
      uint32,
      values.map(({ machineRef }) => machineRef),
    )} AS machine,
      ${array(
        str,
        values.map(({ key }) => key),
      )} AS key, ${array(
        str,
        values.map(({ type }) => type),
      )} AS type,
      ${array(
        str,
        values.map(({ subtype }) => subtype),
      )} AS subtype`
  return sql`(machine, toString(key), toString(type), toString(subtype)) NOT IN (${names})`
}
