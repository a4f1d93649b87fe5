import { float, text, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { int64, sql, str, uint32 } from '../../../clickhouse/sql/sql.ts'
import { columnBound } from '../../../clickhouse/sql/time-bounds.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { latestValues, samples } from '../../../clickhouse/tables/samples.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { CompanyRef } from '../../../schema/refs.ts'
import type { MachineMetrics, MetricValues } from '../../../schema/requests/machine-timeline.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { Asking } from '../ask/asking.ts'
import { stepFor } from './step.ts'
import type { TimelineRequest } from './read.ts'

/** Numeric values of a key of a machine, as the samples that are kept have them. Rejects with a `StoreError`. */
export async function readMetricValues(
  companyRef: CompanyRef,
  { machine, range, points, key }: TimelineRequest & { readonly key: string },
  { store, options }: Asking,
): Promise<MetricValues> {
  const { startMs, endMs } = range
  const stepMs = stepFor(Math.max(endMs - startMs, 1), points)
  const where = [
    sql`machine = ${uint32(machine.ref)}`,
    sql`key = ${str(key)}`,
    sql`at_us >= ${int64(columnBound(startMs) * 1000)} AND at_us < ${int64(columnBound(endMs) * 1000)}`,
  ]
  // A sample that came twice counts as one.
  const found = await rows(
    store,
    sql`
SELECT intDiv(min(at), 1000) AS atMs, avg(number) AS mean, min(number) AS least, max(number) AS greatest, toUInt64(count()) AS count
FROM (
  SELECT DISTINCT at_us AS at, assumeNotNull(toFloat64OrNull(value)) AS number
  ${from(samples, companyRef, { where: [...where, sql`isFinite(toFloat64OrNull(value))`] })})
GROUP BY intDiv(at, ${int64(stepMs * 1000)}) AS step
ORDER BY step`,
    { atMs: wide, mean: float, least: float, greatest: float, count: wide },
    options,
  )
  return {
    machineId: machine.id,
    key,
    resolutionMs: stepMs,
    values: found.map(({ atMs, mean, least, greatest, count }) => ({
      at: isoText(atMs),
      mean,
      least,
      greatest,
      samples: count,
    })),
  }
}

/** Most metrics that are listed: a machine may have as many keys. */
const mostMetrics = 10_000

/** The metrics that a machine has sent, with the latest value of each. Rejects with a `StoreError`. */
export async function readMetrics(
  companyRef: CompanyRef,
  machine: MachineRecord,
  { store, options }: Asking,
): Promise<MachineMetrics> {
  const found = await rows(
    store,
    sql`
SELECT key, type, subtype, category, value, at_us AS atUs
${from(latestValues, companyRef, { final: true, where: [sql`machine = ${uint32(machine.ref)}`] })}
ORDER BY key, type, subtype LIMIT ${uint32(mostMetrics)}`,
    { key: text, type: text, subtype: text, category: text, value: text, atUs: wide },
    options,
  )
  return {
    metrics: found.map(({ atUs, key, type, subtype, category, value }) => ({
      key,
      type,
      subtype,
      category,
      value,
      at: isoText(Math.floor(atUs / 1000)),
    })),
  }
}
