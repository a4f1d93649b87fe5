import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { TrialMachine } from '../../../schema/requests/connector-trial.ts'
import { useLocale } from '../../texts/locale.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Roles } from './found-devices.tsx'
import { machineIdOf, type Plan } from './plan.ts'

interface TrialMachinesProps {
  readonly trial: readonly TrialMachine[]
  readonly plan: Plan
  readonly machines: readonly MachineListItem[]
}

/** The states that the samples of a trial give, and what determines them. */
export function TrialMachines({ trial, plan, machines }: TrialMachinesProps) {
  const { t, format } = useLocale()
  const nameOf = (id: string) =>
    machines.find(machine => machine.id === id)?.name ??
    plan.assignments.find(each => machineIdOf(each) === id)?.newName ??
    id
  return (
    <ul class="devices">
      {trial.map(({ machineId, status, since, partCount, alarms, alarmKeys, ...keys }) => (
        <li key={machineId} class="device" data-used={true}>
          <p class="trial-state" data-status={status}>
            <StatusMark status={status} size={20} />
            <strong>{nameOf(machineId)}</strong> {t.status[status]}
            {since !== null && ` · ${t.source.sinceTime(format.dateTime(since))}`} ·{' '}
            {t.source.parts(format.count(partCount))}
          </p>
          {alarms.length > 0 && <p class="hint">{alarms.join(' · ')}</p>}
          <Roles device={{ ...keys, alarms: alarmKeys }} />
        </li>
      ))}
    </ul>
  )
}
