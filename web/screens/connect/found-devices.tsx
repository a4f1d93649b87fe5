import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { DiscoveredDevice, Discovery } from '../../../schema/requests/connector-trial.ts'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { MachineChoice } from './machine-choice.tsx'
import type { Assignment, Plan } from './plan.ts'
import { isOf } from './stored-plan.ts'

const roles = ['state', 'parts', 'spindle', 'alarms'] as const

interface FoundDevicesProps {
  /** null: the source has not been read. */
  readonly found: Discovery | null
  readonly plan: Plan
  readonly machines: readonly MachineListItem[]
  readonly onChange: (changes: Partial<Plan>) => void
}

/** The devices of an agent, and the machines that they become. */
export function FoundDevices({ found, plan: { assignments }, machines, onChange }: FoundDevicesProps) {
  const { t } = useLocale()
  if (found !== null && assignments.length === 0) return <p class="hint">{t.source.noDevices}</p>
  const set = (index: number, changes: Partial<Assignment>) =>
    onChange({ assignments: assignments.map((each, at) => (at === index ? { ...each, ...changes } : each)) })
  return (
    <ul class="devices">
      {assignments.map((assignment, index) => {
        const device = found?.devices.find(each => isOf(assignment, each)) ?? null
        const name = device?.name ?? assignment.source
        return (
          <li key={assignment.source} class="device" data-used={assignment.isUsed}>
            <label class="device-head">
              <input
                type="checkbox"
                checked={assignment.isUsed}
                aria-label={t.source.use(name)}
                onChange={event => set(index, { isUsed: event.currentTarget.checked })}
              />
              <strong>{name}</strong>
              <span class="hint">{[device?.make, device?.model].filter(Boolean).join(' ')}</span>
            </label>
            {device && <Roles device={device} />}
            {found && !device && <p class="notice">{t.source.noDevice}</p>}
            {assignment.isUsed && (
              <MachineChoice
                label={t.source.machineFor(name)}
                assignment={assignment}
                machines={machines}
                onChange={changes => set(index, changes)}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Keys that determine state, parts, spindle and alarms, or a text that nothing does. */
export function Roles({ device }: { readonly device: Pick<DiscoveredDevice, (typeof roles)[number]> }) {
  const { t } = useLocale()
  return (
    <ul class="roles">
      {roles.map(role => {
        const keys = device[role]
        return (
          <li key={role} class="role" data-found={keys.length > 0} data-needed={role === 'state'}>
            <Icon name={keys.length > 0 ? 'check' : 'close'} size={16} />
            <span>
              <b>{t.source.roles[role]}</b>{' '}
              {keys.length > 0 ? <span class="keys">{keys.slice(0, 4).join(', ')}</span> : t.source.missing[role]}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
