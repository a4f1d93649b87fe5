import { sql } from '../../../clickhouse/sql/sql.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { Asking, RunDeps } from '../ask.ts'
import { rowsOfDays, whereAll } from '../sql.ts'
import { type DowntimePlan, needsWholeRecords } from './plan.ts'

/** The plan with documents of days where the store has them for all machines asked for. */
export async function readFromDays(plan: DowntimePlan, deps: RunDeps & Asking): Promise<DowntimePlan> {
  if (plan.shopDays.length === 0) return plan
  const { store, options, coverage } = deps
  const { covered, stale } = await coverage.read(store, plan.company, plan.shopDays, options)
  const asked = plan.filters.machines && new Set(plan.filters.machines)
  const stales = new Set(stale.filter(({ machine }) => !asked || asked.has(machine)).map(({ startMs }) => startMs))
  const days = covered.filter(({ startMs }) => !stales.has(startMs))
  return { ...plan, days: needsWholeRecords(plan) ? await withRecords(plan, days, deps) : days }
}

/** The days whose documents all tell of records: those of former versions don't, until they are made again. */
async function withRecords(
  { company, filters }: DowntimePlan,
  days: readonly TimeRange[],
  { store, options }: Asking,
): Promise<readonly TimeRange[]> {
  if (days.length === 0) return days
  const rows = rowsOfDays({ company, machines: filters.machines }, days)
  const [former] = await store.columns<[number[]]>(
    sql`
    SELECT DISTINCT start_ms FROM days FINAL ${whereAll([...rows, sql`length(r_within) != length(r_ms)`])}`,
    options,
  )
  const without = new Set(former)
  return days.filter(({ startMs }) => !without.has(startMs))
}
