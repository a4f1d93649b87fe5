import { float, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { float64, int64, sql, str, uint32 } from '../../../clickhouse/sql/sql.ts'
import { sampledWithin } from '../../../clickhouse/samples/within.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { latestValues, samples } from '../../../clickhouse/tables/samples.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { CompanyRef } from '../../../schema/refs.ts'
import type { MachineMetrics, MetricValues } from '../../../schema/requests/machine-timeline.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { QueryContext } from '../query/query.ts'
import { stepFor, type TimelineRequest } from './read.ts'

/** A requested metric; without type or subtype, the latest metric of the key. */
export interface RequestedMetric {
  readonly key: string
  readonly type?: string | undefined
  readonly subtype?: string | undefined
}

/** Larger numbers are skipped: their mean would overflow. */
const greatestNumber = 1e300

/** The metric of a requested key; of several metrics with the key, the latest one. */
async function readMetric(
  companyRef: CompanyRef,
  machine: MachineRecord,
  { key, type, subtype }: RequestedMetric,
  { store, options }: QueryContext,
): Promise<Pick<MetricValues, keyof RequestedMetric>> {
  if (type !== undefined && subtype !== undefined) return { key, type, subtype }
  const where = [
    sql`machine = ${uint32(machine.ref)}`,
    sql`key = ${str(key)}`,
    ...(type === undefined ? [] : [sql`type = ${str(type)}`]),
    ...(subtype === undefined ? [] : [sql`subtype = ${str(subtype)}`]),
  ]
  const [latest] = await rows(
    store,
    sql`SELECT type, subtype ${from(latestValues, companyRef, { final: true, where })} ORDER BY at_us DESC, type, subtype LIMIT 1`,
    { type: storedText, subtype: storedText },
    options,
  )
  return { key, type: type ?? latest?.type ?? '', subtype: subtype ?? latest?.subtype ?? '' }
}

/** Numeric values of a metric of a machine in the stored samples. Rejects with a `StoreError`. */
export async function readMetricValues(
  companyRef: CompanyRef,
  { machine, range, points, ...requested }: TimelineRequest & RequestedMetric,
  queries: QueryContext,
): Promise<MetricValues> {
  const { store, options } = queries
  const metric = await readMetric(companyRef, machine, requested, queries)
  const { key, type, subtype } = metric
  const { startMs, endMs } = range
  const stepMs = stepFor(Math.max(endMs - startMs, 1), points)
  const where = [
    sql`machine = ${uint32(machine.ref)}`,
    sql`key = ${str(key)} AND type = ${str(type)} AND subtype = ${str(subtype)}`,
    sampledWithin(startMs, endMs),
  ]
  // A repeated sample counts once.
  const found = await rows(
    store,
    sql`
SELECT intDiv(min(at), 1000) AS atMs, avg(number) AS mean, min(number) AS least, max(number) AS greatest, toUInt64(count()) AS count
FROM (
  SELECT DISTINCT at_us AS at, assumeNotNull(toFloat64OrNull(value)) AS number
  ${from(samples, companyRef, { where: [...where, sql`abs(toFloat64OrNull(value)) <= ${float64(greatestNumber)}`] })})
GROUP BY intDiv(at, ${int64(stepMs * 1000)}) AS step
ORDER BY step`,
    { atMs: wide, mean: float, least: float, greatest: float, count: wide },
    options,
  )
  return {
    machineId: machine.id,
    ...metric,
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

/** Maximum number of listed metrics: the limit of keys of a machine. */
const maxMetrics = 10_000

/** The metrics that a machine has sent, with the latest value of each. Rejects with a `StoreError`. */
export async function readMetrics(
  companyRef: CompanyRef,
  machine: MachineRecord,
  { store, options }: QueryContext,
): Promise<MachineMetrics> {
  const found = await rows(
    store,
    sql`
SELECT key, type, subtype, category, value, at_us AS atUs
${from(latestValues, companyRef, { final: true, where: [sql`machine = ${uint32(machine.ref)}`] })}
ORDER BY key, type, subtype LIMIT ${uint32(maxMetrics)}`,
    { key: storedText, type: storedText, subtype: storedText, category: storedText, value: storedText, atUs: wide },
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
