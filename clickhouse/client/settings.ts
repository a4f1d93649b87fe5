import { quote } from '../sql/sql.ts'
import type { QueryOptions, QuerySettings } from './store.ts'

/** Settings of every query, on a server and in process. */
export const commonSettings = {
  // On by default since version 26: inserts would be acknowledged before their rows are stored.
  async_insert: 0,
  // JavaScript would round large integers that are JSON numbers.
  output_format_json_quote_64bit_integers: 1,
  // Every partition key is a function of the sorting key, so rows of one key are always in one partition.
  do_not_merge_across_partitions_select_final: 1,
  // Late data may belong to any number of months.
  max_partitions_per_insert_block: 0,
  // If parameters are rendered as literals, arrays of machines are part of the query.
  max_query_size: 67_108_864,
  // The optimization derives further comparisons, which Takt's statements do not need; it takes a fifth of the planning
  // time of a report.
  optimize_and_compare_chain: 0,
  // Compiling expressions to machine code makes our statements at most a few percent faster, and the compiler takes 20
  // MB of memory.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
} as const satisfies QuerySettings

/** Returns the settings of one query, with its comment for the query log. */
export function settingsOf({ settings, logComment }: QueryOptions): QuerySettings {
  return logComment === undefined ? (settings ?? {}) : { ...settings, log_comment: logComment }
}

/** Returns the defined settings; throws a `TypeError` for an invalid name. */
export function settingEntries(settings: QuerySettings): readonly (readonly [string, string | number])[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!/^\w+$/.test(name)) throw new TypeError(`Invalid name of a setting: ${JSON.stringify(name)}`)
    return value === undefined ? [] : [[name, value] as const]
  })
}

/** Renders settings for SET and SETTINGS clauses, such as `a = 1, b = 'x'`; '' if there are none. */
export function settingsText(settings: QuerySettings): string {
  return settingEntries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quote(value)}`)
    .join(', ')
}
