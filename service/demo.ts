import type { ApiDeps } from '../api/create-api.ts'
import { demoMachineIds, leaveDemo } from '../demo/leave.ts'
import { demoSettings } from './config.ts'
import type { ServiceContext } from './context.ts'

/** The simulated plant of the first company, as the API shows it. */
export function createDemo({ commands, records, config }: ServiceContext): ApiDeps['demo'] {
  const settings = demoSettings(config)
  let ids: readonly string[] | undefined
  const machinesOf = (companyId: string) => {
    if (records.companies()[0]?.id !== companyId) return []
    ids ??= demoMachineIds(settings)
    return ids.flatMap(id => records.get('machine', companyId, id) ?? [])
  }
  return {
    machines: ({ id }) => machinesOf(id).filter(({ decommissionedAt }) => decommissionedAt === null).length,
    // Some of what is deleted is known by its name: where the plant never was, it is somebody else's.
    leave: async ({ id: companyId }, as) =>
      machinesOf(companyId).length > 0
        ? leaveDemo({ commands, records, companyId, settings, as })
        : { decommissioned: 0, deleted: 0 },
  }
}
