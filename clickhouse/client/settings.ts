import { quote } from '../sql/sql.ts'
import type { QueryOptions, QuerySettings } from './store.ts'

/** Settings of every query of Takt, on a server and in process. */
export const commonSettings = {
  // On by default since 26: an answer would come before the rows are stored.
  async_insert: 0,
  // As JSON numbers they lose their last digits in JavaScript.
  output_format_json_quote_64bit_integers: 1,
  // Every partition key is a function of the order, so rows of one key never lie in two partitions.
  do_not_merge_across_partitions_select_final: 1,
  // Late data may touch any number of months at once.
  max_partitions_per_insert_block: 0,
  // Arrays of machines are part of the text where they are written as literals.
  max_query_size: 67_108_864,
  // The engine derives further comparisons, of which Takt's statements have none: a fifth of the planning time of a
  // report.
  optimize_and_compare_chain: 0,
  // Machine code of expressions gains our statements a few percent at most, and its compiler takes 20 MB.
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
} as const satisfies QuerySettings

/** The settings of one query, with its comment for the query log. */
export function settingsOf({ settings, logComment }: QueryOptions): QuerySettings {
  return logComment === undefined ? (settings ?? {}) : { ...settings, log_comment: logComment }
}

/** Settings by name, without those left undefined. */
export function settingEntries(settings: QuerySettings): readonly (readonly [string, string | number])[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!/^\w+$/.test(name)) throw new TypeError(`Not a setting: ${JSON.stringify(name)}`)
    return value === undefined ? [] : [[name, value] as const]
  })
}

/** `a = 1, b = 'x'`, for SET and SETTINGS clauses; '' for none. */
export function settingsText(settings: QuerySettings): string {
  return settingEntries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quote(value)}`)
    .join(', ')
}
