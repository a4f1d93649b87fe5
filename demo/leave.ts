import type { Records } from '../processors/records/records.ts'
import type { CommandClient, SubmitOptions } from '../processors/registrar/client.ts'
import { defaultCompanySettings } from '../schema/records/company.ts'
import { resultOrThrow } from '../schema/commands/command-log.ts'
import type { Result } from '../schema/commands/commands.ts'
import { demoCompanyName } from './create-records.ts'
import type { DemoSettings } from './demo.ts'
import { demoRecords } from './simulate/demo-records.ts'
import { inLanguage } from './simulate/language.ts'
import { createPlant } from './simulate/plant.ts'

/** Numbers of deleted records and decommissioned machines. */
export type LeftDemo = Result<'demo.leave'>

interface LeaveOptions {
  readonly commands: Pick<CommandClient, 'submit'>
  readonly records: Records
  readonly companyId: string
  readonly settings: Pick<DemoSettings, 'seed' | 'machines' | 'language'>
  readonly as: Omit<SubmitOptions, 'companyId'>
}

/**
 * Decommissions the machines of the simulated plant and deletes records that only they use. The installation, users,
 * keys and other machines are kept. A running simulation stops, and later starts do not start it.
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
    alertRuleIds: idsOf(plant.alertRules),
  }
  const leave = async () => resultOrThrow(await commands.submit('demo.leave', payload, { ...as, companyId }))
  const first = await leave()
  // The running simulation has stopped after the first command. The second command deletes records that it created
  // until then.
  const second = await leave()
  const company = records.company(companyId)?.settings
  if (company?.companyName === inLanguage(settings.language ?? 'en', demoCompanyName)) {
    const { companyName } = defaultCompanySettings
    resultOrThrow(await commands.submit('settings.put', { ...company, companyName }, { ...as, companyId }))
  }
  return { decommissioned: first.decommissioned, deleted: first.deleted + second.deleted }
}

/** Returns the ids of the machines of the simulated plant. */
export function demoMachineIds(settings: Pick<DemoSettings, 'seed' | 'machines'>): readonly string[] {
  return createPlant({ ...settings, isDaily: true }).machines.map(({ id }) => id)
}

/** Returns whether the user has left the simulated plant: its machines exist, and all are decommissioned. */
export function isDemoLeft(
  records: Records,
  companyId: string,
  settings: Pick<DemoSettings, 'seed' | 'machines'>,
): boolean {
  const { machines } = createPlant({ ...settings, isDaily: true })
  return machines.every(({ id }) => records.get('machine', companyId, id)?.decommissionedAt != null)
}
