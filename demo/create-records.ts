import { isDeepStrictEqual } from 'node:util'
import { demoIncidents } from './simulate/demo-incidents.ts'
import { demoRecords } from './simulate/demo-records.ts'
import { inLanguage } from './simulate/language.ts'
import type { Plant } from './simulate/plant.ts'
import { defaultCompanySettings, settingsOf } from '../schema/records/company.ts'
import type { CommandName, Payload } from '../schema/commands/commands.ts'
import type { PlantClient } from './plant-client.ts'
import { mapConcurrently } from '../shared/async/map-concurrently.ts'
import { minuteMs } from '../shared/time/units.ts'

/** English name of the simulated company, if the user has not changed its settings. */
export const demoCompanyName = 'Demo plant'

/** Stops of machines between two parts are shorter. */
const demoMicrostopMs = 2 * minuteMs

const concurrency = 64

/**
 * Creates missing records of the simulated plant. Existing records stay unchanged, because users may have edited them.
 * With the first machines, also alert rules and the incidents of the history (UTC ms).
 * Returns whether machines were created.
 */
export async function createRecords(
  client: PlantClient,
  plant: Plant,
  history: { readonly fromMs: number; readonly toMs: number },
): Promise<boolean> {
  const { companyId, records } = client
  const demo = demoRecords(plant)
  const namesOf = (kind: 'downtimeReason' | 'partAdjustmentType') =>
    new Set(records.list(kind, companyId).map(({ name }) => name))
  const [reasons, types] = [namesOf('downtimeReason'), namesOf('partAdjustmentType')]
  const isNew = (kind: 'machineGroup' | 'schedule' | 'operator' | 'machine') => (record: { readonly id: string }) =>
    records.get(kind, companyId, record.id) === null
  const all = async <Name extends CommandName>(name: Name, payloads: readonly Payload<Name>[]) => {
    await mapConcurrently(payloads, concurrency, async payload => void (await client.submit(name, payload)))
  }

  const company = records.company(companyId)
  if (company && isDeepStrictEqual(settingsOf(company), defaultCompanySettings)) {
    await client.submit('settings.put', {
      ...defaultCompanySettings,
      companyName: inLanguage(plant.language, demoCompanyName),
      callKinds: defaultCompanySettings.callKinds.map(({ id, name }) => ({
        id,
        name: inLanguage(plant.language, name),
      })),
      microstopMs: demoMicrostopMs,
    })
  }
  await all('machineGroup.put', demo.machineGroups.filter(isNew('machineGroup')))
  await all('schedule.put', demo.schedules.filter(isNew('schedule')))
  await all('operator.put', demo.operators.filter(isNew('operator')))
  await all(
    'downtimeReason.put',
    demo.downtimeReasons.filter(({ name }) => !reasons.has(name)),
  )
  await all(
    'partAdjustmentType.put',
    demo.partAdjustmentTypes.filter(({ name }) => !types.has(name)),
  )
  const machines = demo.machines.filter(isNew('machine'))
  // Later, users may have edited or deleted the rules.
  const isFirst = machines.length === demo.machines.length
  if (isFirst) await all('alertRule.put', demo.alertRules)
  await all('machine.put', machines)
  if (isFirst) await client.submit('demo.incidents', { incidents: demoIncidents(plant, history.fromMs, history.toMs) })
  return machines.length > 0
}
