import { slotOf } from '../../shared/time/units.ts'
import { float, storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { arrayOf, sql, str, uint32, uint64 } from '../sql/sql.ts'
import { columnBound } from '../sql/time-bounds.ts'
import { fromEventfulHours } from '../tables/stored-hours.ts'
import { sampledWithin } from './within.ts'
import { from } from '../tables/from.ts'
import { samples } from '../tables/samples.ts'
import type { ReportedParts } from '../../schema/document.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

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

/** A machine and a range of time, [fromMs, toMs). */
interface TimelineRange {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly fromMs: number
  readonly toMs: number
}

/** Samples of the metrics in [fromMs, toMs), each once, by time; at most `limit` of them. */
export async function readTimelineSamples(
  store: Store,
  { companyRef, machineRef, fromMs, toMs }: TimelineRange,
  metrics: readonly MetricNames[],
  limit: number,
): Promise<readonly TimelineRow[]> {
  if (metrics.length === 0) return []
  const names = (name: keyof MetricNames) => arrayOf(str, metrics, metric => metric[name])
  const where = [
    sql`machine = ${uint32(machineRef)}`,
    sql`key IN ${names('key')}`,
    sql`(key, type, subtype) IN (SELECT arrayJoin(arrayZip(${names('key')}, ${names('type')}, ${names('subtype')})))`,
    sampledWithin(fromMs, toMs),
  ]
  return rows(
    store,
    sql`
      SELECT at_us AS atUs, key, type, subtype, value ${from(samples, companyRef, { where })}
      GROUP BY at_us, key, type, subtype, value
      ORDER BY at_us, min(instance_id) NULLS FIRST, min(sequence) NULLS FIRST, key, type, subtype, value
      LIMIT ${uint64(limit)}`,
    { atUs: wide, key: storedText, type: storedText, subtype: storedText, value: storedText },
  )
}

/** Reads the parts in the documents of a machine in [fromMs, toMs), by time. */
export async function readParts(
  store: Store,
  { companyRef, machineRef, fromMs, toMs }: TimelineRange,
): Promise<readonly ReportedParts[]> {
  const keys = { fromMs: slotOf(columnBound(fromMs)), toMs, machines: [machineRef] }
  const unfold = [sql`part_at`, sql`part_count`]
  const found = await rows(
    store,
    sql`
      SELECT toInt64(toUnixTimestamp(slot)) * 1000 + part_at AS atMs, part_count AS parts
      ${fromEventfulHours(companyRef, keys, { unfold })}`,
    { atMs: wide, parts: float },
  )
  return found.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).toSorted((a, b) => a.atMs - b.atMs)
}
