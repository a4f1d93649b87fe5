import { runCooperatively } from '../../shared/async/steps.ts'
import { sampleBlock } from './sample-block.ts'
import { SampleColumns } from './sample-columns.ts'
import type { SampleRow } from './sample-rows.ts'
import { storedText } from '../client/kinds.ts'
import { firstRow } from '../client/rows.ts'
import { literalInteger, sql, str } from '../sql/sql.ts'
import type { InsertOptions, Store } from '../client/store.ts'
import { latestValues, samples } from '../tables/samples.ts'
import { identifier } from '../tables/table.ts'

interface SampleWriter {
  /**
   * Idempotent: repeated rows collapse. Resolves when the samples and the latest values among them are acknowledged; rejects with a
   * `StoreError`, all or nothing of one month.
   */
  write(rows: SampleColumns | readonly SampleRow[]): Promise<void>
}

/** Writes raw samples of any machines, in one insert a call: callers batch. */
export function createSampleWriter(store: Store): SampleWriter {
  return {
    async write(rows) {
      if (rows.length === 0) return
      const columns = rows instanceof SampleColumns ? rows : SampleColumns.of(rows)
      const block = await runCooperatively(sampleBlock(columns))
      await store.insertNative(samples.name, block.samples, asTheyCome)
      await store.insertNative(latestValues.name, block.latest, asTheyCome)
    },
  }
}

/** Repeated rows collapse in merges: finding them here would take longer than the rest of the insert. */
const asTheyCome = { settings: { optimize_on_insert: 0 } } as const satisfies InsertOptions

/** Sets the retention of raw samples; parts expire by whole months. State samples do not expire. */
export async function setSampleRetention(store: Store, days: number): Promise<void> {
  // A DateTime ends in 2106: a longer time would lie before the samples themselves, and drop them at once.
  if (!Number.isInteger(days) || days < 1 || days > 20_000)
    throw new RangeError(`Invalid number of days: ${days} (maximum 20000)`)
  const wanted = `toIntervalDay(${days})`
  const table = await firstRow(
    store,
    sql`
    SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = ${str(samples.name)}`,
    { create_table_query: storedText },
  )
  if (table?.create_table_query.includes(wanted)) return
  await store.command(sql`
    ALTER TABLE ${identifier(samples.name)}
    MODIFY TTL toDateTime(intDiv(at_us, 1000000), 'UTC') + INTERVAL ${literalInteger(days)} DAY
    SETTINGS materialize_ttl_after_modify = 0`)
}
