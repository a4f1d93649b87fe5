import { leaveDemo } from '../../demo/leave.ts'
import { object } from '../../schema/types.ts'
import { demoSettings } from '../config.ts'
import { asService, task } from './task.ts'
import { companyNamed } from './company-named.ts'

/**
 * Removes the simulated plant from the first company. Returns the numbers of decommissioned machines and deleted
 * records.
 */
const leave = task(object({}), async context => {
  const [first] = context.records.companies()
  const { id: companyId } = companyNamed(first?.id ?? null, context)
  const { commands, records, config } = context
  return leaveDemo({ commands, records, companyId, settings: demoSettings(config), as: asService })
})

export const leaveDemoTasks = { 'leave-demo': leave } as const
