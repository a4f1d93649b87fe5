import { hourMs } from '../../shared/time/units.ts'
import { array, int64, second, sql, str, uint32, uint64 } from '../sql/sql.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { columnBound } from '../sql/time-bounds.ts'

/** The names of a metric, as sent. */
export interface MetricNames {
  readonly key: string
  readonly type: string
  readonly subtype: string
}

/** One observation of a machine. */
export interface TimelineRow extends MetricNames {
  readonly atUs: number
  readonly value: string
}

/** Parts that a machine made at an instant. */
export interface PartsMade {
  readonly atMs: number
  readonly parts: number
}

export interface MachineRange {
  readonly company: number
  readonly machine: number
  readonly fromMs: number
  readonly toMs: number
}

/** Samples of the metrics in [fromMs, toMs), each once, by time; at most `limit` of them. */
export async function readTimelineSamples(
  store: Store,
  { company, machine, fromMs, toMs }: MachineRange,
  metrics: readonly MetricNames[],
  limit: number,
): Promise<readonly TimelineRow[]> {
  if (metrics.length === 0) return []
  const names = (name: keyof MetricNames) =>
    array(
      str,
      metrics.map(metric => metric[name]),
    )
  const [atUs, key, type, subtype, value] = await store.columns<[number[], string[], string[], string[], string[]]>(
    sql`
      SELECT at_us, key, type, subtype, value FROM samples
      WHERE company = ${uint32(company)} AND machine = ${uint32(machine)} AND key IN ${names('key')}
        AND (key, type, subtype) IN (SELECT arrayJoin(arrayZip(${names('key')}, ${names('type')}, ${names('subtype')})))
        AND at_us >= ${int64(columnBound(fromMs) * 1000)} AND at_us < ${int64(columnBound(toMs) * 1000)}
      GROUP BY at_us, key, type, subtype, value
      ORDER BY at_us, min(instance_id) NULLS FIRST, min(sequence) NULLS FIRST, key, type, subtype, value
      LIMIT ${uint64(limit)}`,
    smallNumbers,
  )
  return atUs.map((at, i) => ({
    atUs: at,
    key: key[i] ?? '',
    type: type[i] ?? '',
    subtype: subtype[i] ?? '',
    value: value[i] ?? '',
  }))
}

/** What the documents say that the machine made in [fromMs, toMs), by time. */
export async function readParts(
  store: Store,
  { company, machine, fromMs, toMs }: MachineRange,
): Promise<readonly PartsMade[]> {
  const [slotMs, at, parts] = await store.columns<[number[], number[], number[]]>(
    sql`
      SELECT toUnixTimestamp(slot) * 1000, made.1, made.2 FROM part_states FINAL ARRAY JOIN arrayZip(p_at, p_parts) AS made
      WHERE company = ${uint32(company)} AND machine = ${uint32(machine)}
        AND slot >= ${second(Math.floor(columnBound(fromMs) / hourMs) * hourMs)}
        AND slot < ${second(Math.ceil(columnBound(toMs) / 1000) * 1000)}`,
    smallNumbers,
  )
  return slotMs
    .map((slot, i) => ({ atMs: slot + (at[i] ?? 0), parts: parts[i] ?? 0 }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .sort((a, b) => a.atMs - b.atMs)
}

/** Int64 columns here stay below 2^53. */
const smallNumbers: QueryOptions = { settings: { output_format_json_quote_64bit_integers: 0 } }
