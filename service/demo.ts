import type { ApiDeps } from '../api/create-api.ts'
import { demoMachines, leaveDemo } from '../demo/leave.ts'
import { demoSettings } from './config.ts'
import type { ServiceContext } from './context.ts'

/** The simulated plant of the first company, as the API shows it. */
export function createDemo({ commands, records, config }: ServiceContext): ApiDeps['demo'] {
  const settings = demoSettings(config)
  const isFirst = (companyId: string) => records.companies()[0]?.id === companyId
  return {
    machines: ({ id }) => (isFirst(id) ? demoMachines(records, id, settings) : 0),
    leave: async ({ id: companyId }, as) =>
      isFirst(companyId)
        ? leaveDemo({ commands, records, companyId, settings, as })
        : { decommissioned: 0, deleted: 0 },
  }
}
