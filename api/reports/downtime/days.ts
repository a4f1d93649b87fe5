import type { Asking, RunDeps } from '../ask.ts'
import type { DowntimePlan } from './plan.ts'

/** The plan with documents of days where the store has them for all machines asked for. */
export async function readFromDays(plan: DowntimePlan, deps: RunDeps & Asking): Promise<DowntimePlan> {
  if (plan.shopDays.length === 0) return plan
  const { store, options, coverage } = deps
  const { covered, stale } = await coverage.read(store, plan.company, plan.shopDays, options)
  const asked = plan.filters.machines && new Set(plan.filters.machines)
  const stales = new Set(stale.filter(({ machine }) => !asked || asked.has(machine)).map(({ startMs }) => startMs))
  return { ...plan, days: covered.filter(({ startMs }) => !stales.has(startMs)) }
}
