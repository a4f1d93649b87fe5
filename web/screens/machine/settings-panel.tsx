import type { MachineDetails, MachineListItem } from '../../../schema/records/machine.ts'
import { useLocale } from '../../texts/locale.ts'
import { Code } from '../../ui/code.tsx'
import { Facts } from '../../ui/facts.tsx'

interface SettingsProps {
  readonly machine: MachineDetails
  readonly groups: MachineListItem['machineGroups']
}

/** The settings of a machine, to be read. */
export function SettingsPanel({ machine, groups }: SettingsProps) {
  const { t, format } = useLocale()
  const words = t.machine
  const facts = [
    [words.fields.make, [machine.make, machine.model].filter(Boolean).join(' ')],
    [t.reports.filters.machineGroup, groups.map(({ name }) => name).join(', ')],
    [t.settings.machines.erpMachineId, machine.erpMachineId],
    [words.fields.scheduledBy, words.scheduledBy[machine.scheduledBy ?? 'company']],
    [t.settings.machines.partCounter, words.partCounters[machine.partCounter]],
    [words.fields.partCountKey, machine.partCountKey],
    [words.fields.microstopMs, microstopText()],
    [words.fields.staleAfterMs, machine.staleAfterMs === null ? words.off : format.limit(machine.staleAfterMs)],
    [words.fields.spindleAbove, format.number(machine.spindleAbove, 0)],
    [words.fields.commissionedAt, format.dateTime(machine.commissionedAt)],
    [words.fields.decommissionedAt, format.dateTime(machine.decommissionedAt)],
  ] as const
  return (
    <aside class="card machine-settings" aria-labelledby="machine-settings">
      <h2 id="machine-settings">{t.screens.settings}</h2>
      <Facts facts={facts} />
      <h3>{t.terms.id}</h3>
      <Code label={t.terms.id} text={machine.id} />
    </aside>
  )

  function microstopText(): string {
    const { microstopMs } = machine
    if (microstopMs === null) return words.scheduledBy.company
    return microstopMs === 0 ? words.off : format.limit(microstopMs)
  }
}
