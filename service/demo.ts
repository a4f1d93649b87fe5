import { join } from 'node:path'
import type { ApiDeps } from '../api/create-api.ts'
import { demoMachineIds, leaveDemo } from '../demo/leave.ts'
import { progressFile, readProgress } from '../demo/progress-file.ts'
import type { SimulatedHistory } from '../schema/topics.ts'
import { hourMs } from '../shared/time/units.ts'
import { type Config, demoSettings, isDemo } from './config.ts'
import type { ServiceContext } from './context.ts'
import type { SimulatedHistoryProgress } from './live/simulated-history.ts'

/** Adapts the simulated plant of the first company to the API. */
export function createDemo(
  { commands, records, config, clock }: ServiceContext,
  histories: Pick<SimulatedHistoryProgress, 'get'>,
): ApiDeps['demo'] {
  const settings = demoSettings(config)
  let ids: readonly string[] | undefined
  const machinesOf = (companyId: string) => {
    if (records.firstCompany()?.id !== companyId) return []
    ids ??= demoMachineIds(settings)
    return ids.flatMap(id => records.get('machine', companyId, id) ?? [])
  }
  const isLeft = (companyId: string) => {
    const machines = machinesOf(companyId)
    return machines.length > 0 && machines.every(({ decommissionedAt }) => decommissionedAt !== null)
  }
  return {
    history({ id }) {
      const history = records.firstCompany()?.id === id && !isLeft(id) ? histories.get() : null
      return history && { fromMs: history.fromMs, share: progressOf(history, clock()) }
    },
    machines: ({ id }) => machinesOf(id).filter(({ decommissionedAt }) => decommissionedAt === null).length,
    // Some demo records are identified by name; in a company without a simulated plant, a record of that name is a real
    // record.
    leave: async ({ id: companyId }, as) =>
      machinesOf(companyId).length > 0
        ? leaveDemo({ commands, records, companyId, settings, as })
        : { decommissioned: 0, deleted: 0 },
  }
}

/** Share of the simulated history that was sent, 0 to 1. */
export function progressOf({ fromMs, sentMs, isComplete }: SimulatedHistory, nowMs: number): number {
  if (isComplete) return 1
  return nowMs > fromMs ? Math.min(1, Math.max(0, (sentMs - fromMs) / (nowMs - fromMs))) : 0
}

/** Returns the history that a start with these settings generates; null: none. */
export async function expectedHistory(config: Config, nowMs: number): Promise<SimulatedHistory | null> {
  if (!isDemo(config)) return null
  const settings = demoSettings(config)
  const fromMs = nowMs - settings.hours * hourMs
  const before = await readProgress(join(settings.dataDir, progressFile))
  return { fromMs, sentMs: before?.sentMs ?? fromMs, isComplete: false }
}
