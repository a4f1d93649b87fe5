import type { Records } from '../processors/records/records.ts'
import type { CommandClient, SubmitOptions } from '../processors/registrar/client.ts'
import { defaultCompanySettings } from '../schema/records/company.ts'
import { resultOf } from '../schema/command-log.ts'
import type { Result } from '../schema/commands.ts'
import { demoCompanyName } from './create-records.ts'
import type { DemoSettings } from './demo.ts'
import { demoRecords } from './simulate/demo-records.ts'
import { createPlant } from './simulate/plant.ts'

/** Counts of what was removed. */
export type LeftDemo = Result<'demo.leave'>

interface LeaveOptions {
  readonly commands: CommandClient
  readonly records: Records
  readonly companyId: string
  readonly settings: Pick<DemoSettings, 'seed' | 'machines'>
  readonly as: Omit<SubmitOptions, 'companyId'>
}

/**
 * Decommissions the machines of the simulated plant and deletes what they alone use. The installation, its users, keys and other
 * machines stay as they are. A plant that runs stops by itself, here and at later starts.
 */
export async function leaveDemo({ commands, records, companyId, settings, as }: LeaveOptions): Promise<LeftDemo> {
  const plant = demoRecords(createPlant({ ...settings, isDaily: true }))
  const idsOf = (made: readonly { readonly id: string }[]) => made.map(({ id }) => id)
  const namesOf = (made: readonly { readonly name: string }[]) => made.map(({ name }) => name)
  const payload = {
    machineIds: idsOf(plant.machines),
    machineGroupIds: idsOf(plant.machineGroups),
    scheduleIds: idsOf(plant.schedules),
    operatorIds: idsOf(plant.operators),
    downtimeReasons: namesOf(plant.downtimeReasons),
    partAdjustmentTypes: namesOf(plant.partAdjustmentTypes),
  }
  const left = resultOf(await commands.submit('demo.leave', payload, { ...as, companyId }))
  const company = records.company(companyId)?.settings
  if (company?.companyName === demoCompanyName) {
    const { companyName } = defaultCompanySettings
    resultOf(await commands.submit('settings.put', { ...company, companyName }, { ...as, companyId }))
  }
  return left
}

/** Whether the plant was left: its machines exist, and all of them are decommissioned. */
export function isDemoLeft(
  records: Records,
  companyId: string,
  settings: Pick<DemoSettings, 'seed' | 'machines'>,
): boolean {
  const { machines } = createPlant({ ...settings, isDaily: true })
  return machines.every(({ id }) => records.get('machine', companyId, id)?.decommissionedAt != null)
}
