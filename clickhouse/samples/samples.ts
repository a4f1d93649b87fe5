import type { Sample } from '../../schema/sample.ts'
import { sampleColumns, sampleLine } from './sample-rows.ts'
import { text } from '../client/kinds.ts'
import { firstRow } from '../client/rows.ts'
import { sql, str } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import { joinInTurns } from '../tables/row-writer.ts'
import { samples } from '../tables/samples.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export interface SampleRow {
  readonly companyRef: CompanyRef
  readonly sample: Sample
}

export interface SampleWriter {
  /** Idempotent: repeated rows collapse. Resolves when acknowledged; rejects with a `StoreError`, all or nothing of one month. */
  write(rows: readonly SampleRow[]): Promise<void>
}

/** Writes raw samples of any machines, in one insert a call: callers batch. */
export function createSampleWriter(store: Store): SampleWriter {
  return {
    async write(rows) {
      if (rows.length === 0) return
      const lines = await joinInTurns(rows, ({ companyRef, sample }) => sampleLine(companyRef, sample))
      await store.insert(samples.name, sampleColumns, lines)
    },
  }
}

/** Sets how long raw samples are kept; parts expire as whole months. What decides state is kept whatever this says. */
export async function setSampleRetention(store: Store, days: number): Promise<void> {
  // A DateTime ends in 2106: a longer time would lie before the samples themselves, and drop them at once.
  if (!Number.isInteger(days) || days < 1 || days > 20_000)
    throw new RangeError(`${days} is no number of days up to 20000`)
  const wanted = `toIntervalDay(${days})`
  const table = await firstRow(
    store,
    sql`
    SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = ${str(samples.name)}`,
    { create_table_query: text },
  )
  if (table?.create_table_query.includes(wanted)) return
  await store.command({
    parts: [
      `ALTER TABLE samples MODIFY TTL toDateTime(intDiv(at_us, 1000000), 'UTC') + INTERVAL ${days} DAY
       SETTINGS materialize_ttl_after_modify = 0`,
    ],
  })
}
