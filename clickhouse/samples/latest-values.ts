import { metricName, type Sample } from '../../schema/sample.ts'
import { storedText, wide, machineRef } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, arrayOf, sql, str, uint32 } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { latestValues, samples } from '../tables/samples.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { category } from './sample-rows.ts'
import { sampledWithin } from './within.ts'

/** The stored fields of the newest sample of a metric. */
export type StoredValue = Pick<Sample, 'machineRef' | 'atUs' | 'key' | 'type' | 'subtype' | 'value' | 'category'>

/** Number of machines per read, some hundred values each: the process yields between reads. */
const machinesAtOnce = 50

/**
 * Time span that is searched for the newest past value of a metric with a future-dated sample: the last hour first,
 * because machines send most metrics often, then longer spans.
 */
const lookBacksMs = [hourMs, dayMs, 31 * dayMs] as const

/**
 * The newest value of every metric of these machines, in chunks. If it is later than `nowMs` (UTC ms), the newest one
 * up to `nowMs` of the last 31 days is added.
 */
export async function* readLatestValues(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  nowMs: number,
): AsyncGenerator<readonly StoredValue[]> {
  for (let first = 0; first < machines.length; first += machinesAtOnce) {
    const newest = await readSome(store, companyRef, machines.slice(first, first + machinesAtOnce))
    yield newest
    const ahead = newest.filter(({ atUs }) => atUs > nowMs * 1000)
    if (ahead.length > 0) yield await readUpTo(store, companyRef, ahead, nowMs)
  }
}

function readSome(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[]) {
  const query = sql`
    SELECT machine AS machineRef, at_us AS atUs, key, type, subtype, value, category
    ${from(latestValues, companyRef, { final: true, where: [ofMachines(machines)] })}`
  return rows(store, query, storedValue, ofPipeline)
}

/** The newest value up to `nowMs` of each of these metrics. */
async function readUpTo(
  store: Store,
  companyRef: CompanyRef,
  metrics: readonly StoredValue[],
  nowMs: number,
): Promise<readonly StoredValue[]> {
  const found = new Map<string, StoredValue>()
  const categories = new Map(metrics.map(metric => [metricName(metric), metric.category]))
  for (const lookBackMs of lookBacksMs) {
    const wanted = metrics.filter(metric => !found.has(metricName(metric)))
    if (wanted.length === 0) break
    const texts = (name: 'key' | 'type' | 'subtype') => arrayOf(str, wanted, metric => metric[name])
    const refs = wanted.map(metric => metric.machineRef)
    const where = [
      ofMachines([...new Set(refs)]),
      sql`key IN ${texts('key')}`,
      sql`(machine, key, type, subtype) IN (
        SELECT arrayJoin(arrayZip(${array(uint32, refs)}, ${texts('key')}, ${texts('type')}, ${texts('subtype')})))`,
      sampledWithin(nowMs - lookBackMs, nowMs + 1),
    ]
    const some = await rows(
      store,
      sql`
        SELECT machine AS machineRef, max(at_us) AS atUs, key, type, subtype, argMax(value, at_us) AS newest
        ${from(samples, companyRef, { where })}
        GROUP BY machine, key, type, subtype`,
      { ...names, atUs: wide, newest: storedText },
      ofPipeline,
    )
    for (const { newest: value, ...metric } of some) {
      const name = metricName(metric)
      found.set(name, { ...metric, value, category: categories.get(name) ?? 'EVENT' })
    }
  }
  return [...found.values()]
}

const names = { machineRef, key: storedText, type: storedText, subtype: storedText } as const
const storedValue = { ...names, atUs: wide, value: storedText, category } as const

/** Reads the metrics that machines have used, up to the key limit of each machine. */
export async function readUsedNames(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly Omit<StoredValue, 'atUs' | 'value' | 'category'>[]> {
  return rows(
    store,
    sql`
      SELECT DISTINCT machine AS machineRef, key, type, subtype ${from(latestValues, companyRef, { where: [ofMachines(machines)] })}
      LIMIT 10000 BY machine`,
    names,
    ofPipeline,
  )
}
