import type { DayCoverage } from '../../../clickhouse/documents/day-coverage.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { Asking, RunDeps } from '../ask.ts'
import type { Plan, StaleDay } from './plan.ts'
import { splitRange } from '../range.ts'

/** Machines of a day that may be read from hours; of a day with more, all are. */
const mostStaleMachines = 500
/** Days with such machines: each is a part of the query of its own. */
const mostStaleDays = 8

/** The plan with documents of days in place of those of hours, where the store has them. One look at what days there are. */
export async function readFromDays(
  plan: Plan,
  { store, options, coverage }: Pick<RunDeps, 'coverage'> & Asking,
): Promise<Plan> {
  if (plan.shopDays.length === 0) return plan
  return withDays(plan, await coverage.read(store, plan.company, plan.shopDays, options))
}

/** Pure: see `readFromDays`. */
export function withDays(plan: Plan, { covered, stale }: DayCoverage): Plan {
  const byDay = covered.map((day): StaleDay => {
    const machines = stale.filter(({ startMs }) => startMs === day.startMs).map(({ machine }) => machine)
    return { day, machines: plan.filters.machines ? machines.filter(isIn(plan.filters.machines)) : machines }
  })
  const partly = byDay.filter(({ machines }) => machines.length > 0 && machines.length <= mostStaleMachines)
  const staleDays = partly.slice(0, mostStaleDays)
  const days = byDay
    .filter(day => day.machines.length === 0 || staleDays.includes(day))
    .map(({ day }): TimeRange => day)
  return { ...plan, split: splitRange(plan.range, days), staleDays }
}

function isIn(values: readonly number[]): (value: number) => boolean {
  const known = new Set(values)
  return value => known.has(value)
}
