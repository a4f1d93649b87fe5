import { storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { fromShared } from '../tables/from.ts'
import { keyUses } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

const timeoutMs = 10_000

const writer: RowWriter<readonly [id: string, usedAtMs: number]> = rowWriter(keyUses, {
  id: ([id]) => id,
  used_at: ([, ms]) => new Date(ms).toISOString().slice(0, -1),
})

/** Writes when keys were last used; later times replace earlier ones. Rejects with a `StoreError`. */
export async function writeKeyUses(store: Store, usedAtMs: ReadonlyMap<string, number>): Promise<void> {
  await insertRows(store, writer, [...usedAtMs], { signal: AbortSignal.timeout(timeoutMs) })
}

/** Reads when keys were last used, UTC ms; keys that were never used are missing. Rejects with a `StoreError`. */
export async function readKeyUses(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await rows(
    store,
    sql`
    SELECT id, toUnixTimestamp64Milli(max(used_at)) AS ms ${fromShared(keyUses, { where: [sql`id IN ${array(str, ids)}`] })}
    GROUP BY id`,
    { id: storedText, ms: wide },
    { signal: AbortSignal.timeout(timeoutMs) },
  )
  return new Map(found.map(({ id, ms }) => [id, ms]))
}
