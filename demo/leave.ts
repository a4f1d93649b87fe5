import type { Records } from '../processors/records/records.ts'
import type { CommandClient, SubmitOptions } from '../processors/registrar/client.ts'
import { defaultCompanySettings } from '../schema/records/company.ts'
import { resultOf } from '../schema/commands/command-log.ts'
import type { Result } from '../schema/commands/commands.ts'
import { demoCompanyName } from './create-records.ts'
import type { DemoSettings } from './demo.ts'
import { demoRecords } from './simulate/demo-records.ts'
import { createPlant } from './simulate/plant.ts'

/** Counts of what was removed. */
export type LeftDemo = Result<'demo.leave'>

interface LeaveOptions {
  readonly commands: Pick<CommandClient, 'submit'>
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
  const leave = async () => resultOf(await commands.submit('demo.leave', payload, { ...as, companyId }))
  const first = await leave()
  // The plant has heard of the first by now and asks for nothing more; what it asked for until then is done before the second.
  const second = await leave()
  const company = records.company(companyId)?.settings
  if (company?.companyName === demoCompanyName) {
    const { companyName } = defaultCompanySettings
    resultOf(await commands.submit('settings.put', { ...company, companyName }, { ...as, companyId }))
  }
  return { decommissioned: first.decommissioned, deleted: first.deleted + second.deleted }
}

/** Ids of the machines of the simulated plant. */
export function demoMachineIds(settings: Pick<DemoSettings, 'seed' | 'machines'>): readonly string[] {
  return createPlant({ ...settings, isDaily: true }).machines.map(({ id }) => id)
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
