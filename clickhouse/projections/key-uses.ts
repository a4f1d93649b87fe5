import { array, sql, str } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

const withinMs = 10_000

/** Writes when keys were last used; later times replace earlier ones. Rejects with a `StoreError`. */
export async function writeKeyUses(store: Store, usedAtMs: ReadonlyMap<string, number>): Promise<void> {
  const lines = [...usedAtMs].map(([id, ms]) => JSON.stringify([id, new Date(ms).toISOString().slice(0, -1)]))
  const signal = AbortSignal.timeout(withinMs)
  await store.insert('key_uses', ['id', 'used_at'], lines.join('\n'), { signal })
}

/** When the keys were last used, UTC ms; missing: never. Rejects with a `StoreError`. */
export async function readKeyUses(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await store.query<{ readonly id: string; readonly ms: string }>(
    sql`SELECT id, toUnixTimestamp64Milli(max(used_at)) AS ms FROM key_uses WHERE id IN ${array(str, ids)} GROUP BY id`,
    { signal: AbortSignal.timeout(withinMs) },
  )
  return new Map(rows.map(({ id, ms }) => [id, Number(ms)]))
}
