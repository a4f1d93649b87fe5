import type { Change } from '../../schema/records.ts'
import { array, int64, sql, str, uint32, type Sql } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'

/** Kinds that a lost log takes with it: they speak of work that was under way. */
const lostKinds = ['claim', 'installation', 'rebuild']
const pageRows = 10_000
const read: QueryOptions = { lane: 'process', settings: { output_format_json_quote_64bit_integers: 0 } }

/**
 * The records as the store has them, those of lower refs first, as changes that make them anew. The same store gives the same
 * pages. Rejects with a `StoreError`.
 */
export async function* readStoredRecords(store: Store): AsyncGenerator<readonly Change[]> {
  let after: Row = { ref: 0, command_offset: -1, kind: '', id: '', json: '' }
  for (;;) {
    const rows = await store.query<Row>(pageAfter(after), read)
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(toChange)
    after = last
  }
}

interface Row {
  readonly ref: number
  readonly command_offset: number
  readonly kind: string
  readonly id: string
  readonly json: string
}

function pageAfter({ ref, command_offset, kind, id }: Row): Sql {
  return sql`
    SELECT ref, toInt64(command_offset) AS command_offset, kind, id, json FROM records FINAL
    WHERE deleted = 0 AND kind NOT IN ${array(str, lostKinds)}
      AND (ref, toInt64(command_offset), kind, id) > (${uint32(ref)}, ${int64(command_offset)}, ${str(kind)}, ${str(id)})
    ORDER BY ref, toInt64(records.command_offset), kind, id LIMIT ${uint32(pageRows)}`
}

function toChange({ kind, id, json }: Row): Change {
  const after: Change['after'] = JSON.parse(json)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar wrote kind and record together
  return { kind, id, before: null, after } as Change
}

/** The highest int that was ever given out, by kind (`RefKind`), as far as the store knows. Rejects with a `StoreError`. */
export async function readHighestRefs(store: Store): Promise<Readonly<Record<string, number>>> {
  const counted = await store.query<{ readonly kind: string; readonly highest: number }>(
    sql`
      SELECT kind, max(highest) AS highest FROM (
        SELECT kind, toUInt64(ref) AS highest FROM records WHERE ref > 0
        UNION ALL SELECT 'told', JSONExtractUInt(json, 'told') FROM records WHERE kind = 'jobRun'
        UNION ALL SELECT 'fence', JSONExtractUInt(json, 'fence') FROM records WHERE kind = 'claim'
        UNION ALL SELECT kind, toUInt64OrZero(id) FROM records WHERE kind IN ('downtimeReason', 'partAdjustmentType')
        UNION ALL SELECT 'shift', ${refsIn(sql`json`)} FROM records WHERE kind = 'schedule'
        UNION ALL SELECT 'shift', greatest(${refsIn(sql`before`)}, ${refsIn(sql`after`)}) FROM audit WHERE kind = 'schedule'
      ) GROUP BY kind`,
    read,
  )
  const earlier = await store.query<{ readonly json: string }>(
    sql`SELECT json FROM records WHERE kind = 'installation'`,
    read,
  )
  const highest = new Map<string, number>()
  const raise = (kind: string, ref: number) => highest.set(kind, Math.max(highest.get(kind) ?? 0, ref))
  for (const row of counted) raise(row.kind, row.highest)
  for (const { json } of earlier) {
    const { highestRefs }: { readonly highestRefs: Readonly<Record<string, number>> } = JSON.parse(json)
    for (const [kind, ref] of Object.entries(highestRefs)) raise(kind, ref)
  }
  return Object.fromEntries(highest)
}

/** The highest ref of the shifts within a schedule. */
function refsIn(json: Sql): Sql {
  return sql`arrayReduce('max', arrayMap(digits -> toUInt64(digits), extractAll(${json}, '"ref":(\\d+)')))`
}

/** The newest moment that a machine was heard of, UTC ms; null: no sample is stored. Rejects with a `StoreError`. */
export async function readNewestSeenMs(store: Store): Promise<number | null> {
  const [row] = await store.query<{ readonly newest: number }>(
    sql`SELECT max(toUnixTimestamp(minute) * 1000 + last_ms) AS newest FROM seen_minutes HAVING count() > 0`,
    read,
  )
  return row?.newest ?? null
}
