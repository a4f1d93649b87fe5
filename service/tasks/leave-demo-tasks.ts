import { leaveDemo } from '../../demo/leave.ts'
import { object } from '../../schema/types.ts'
import { demoSettings } from '../config.ts'
import { asService, task } from './task.ts'
import { companyNamed } from './company-named.ts'

/** Takes the simulated plant out of the first company. Answers how many machines were decommissioned and records deleted. */
const leave = task(object({}), async context => {
  const [first] = context.records.companies()
  const { id: companyId } = companyNamed(first?.id ?? null, context)
  const { commands, records, config } = context
  return leaveDemo({ commands, records, companyId, settings: demoSettings(config), as: asService })
})

export const leaveDemoTasks = { 'leave-demo': leave } as const
