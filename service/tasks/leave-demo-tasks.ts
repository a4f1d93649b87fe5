import { leaveDemo } from '../../demo/leave.ts'
import { object } from '../../schema/types.ts'
import { demoSettings } from '../config.ts'
import { serviceCommand, task } from './task.ts'
import { findCompany } from './company-named.ts'

/**
 * Removes the simulated plant from the first company. Returns the numbers of decommissioned machines and deleted
 * records.
 */
const leave = task(object({}), async context => {
  const { id: companyId } = findCompany(context.records.firstCompany()?.id ?? null, context)
  const { commands, records, config } = context
  return leaveDemo({ commands, records, companyId, settings: demoSettings(config), as: serviceCommand })
})

export const leaveDemoTasks = { 'leave-demo': leave } as const
