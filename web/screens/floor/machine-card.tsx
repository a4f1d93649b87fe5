import { useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Failure } from '../../ui/notice.tsx'
import { type LazyComponent, useModule } from '../../ui/use-module.ts'
import { useNow } from '../../ui/use-now.ts'
import { ConnectionNotice } from '../connect/connection-notice.tsx'
import { MachineSamples } from '../connect/machine-samples.tsx'
import { Figures } from './figures.tsx'
import type { FloorMachine } from './floor-machine.ts'
import type { MachineActionsProps } from './machine-actions.tsx'
import { sinceMsOf, sinceText } from './since.ts'

/** Its forms are not part of the first screen. */
const lazyActions: LazyComponent<MachineActionsProps> = { load: () => import('./machine-actions.tsx') }

interface MachineCardProps {
  readonly floor: FloorMachine
  /** Whether the metrics of today are loaded. */
  readonly hasFigures: boolean
  readonly onClose: () => void
}

/** All that the floor knows of one machine, and what can be done there. */
export function MachineCard({ floor, hasFigures, onClose }: MachineCardProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const nowMs = useNow(() => client.now())
  const { machine, now, figures, activity, stop } = floor
  const sinceMs = sinceMsOf(floor)
  const { component: MachineActions, error } = useModule(lazyActions)
  const words = t.floor.details
  const facts = [
    [t.screens.alarms, now.message],
    [t.terms.reason, stop?.reason ?? activity?.reason?.name],
    [t.terms.job, [activity?.job, activity?.part].filter(Boolean).join(' · ')],
    [t.reports.filters.operator, activity?.operators.join(', ')],
    [t.reports.filters.machineGroup, machine.machineGroups.map(({ name }) => name).join(', ')],
    [t.settings.machines.make, [machine.make, machine.model].filter(Boolean).join(' ')],
  ] as const
  return (
    <Dialog title={machine.name} onClose={onClose}>
      <p class="card-status">
        <StatusMark status={now.status} size={22} />
        <strong>{t.status[now.status]}</strong>
        {sinceMs !== null && <span>{sinceText(sinceMs, nowMs, { t, format }, true)}</span>}
      </p>
      <ConnectionNotice machine={machine} status={now.status} />
      <MachineSamples machine={machine} nowMs={nowMs} />
      {MachineActions !== null && <MachineActions floor={floor} />}
      <Failure error={error} />
      <Figures today={figures} isLoading={!hasFigures} />
      <Link to="app/machine" query={{ machine: machine.id }} class="button">
        {t.terms.timeline}
      </Link>
      <Facts facts={facts} />
      {machine.faults.length > 0 && (
        <div class="notice problem">
          <p>
            <strong>{words.faults}</strong>
          </p>
          <ul>
            {machine.faults.map(({ code, message, count }) => (
              <li key={code}>
                {message} ({format.count(count)})
              </li>
            ))}
          </ul>
        </div>
      )}
      <h3>{t.terms.id}</h3>
      <p class="hint">{words.idHint}</p>
      <Code label={t.terms.id} text={machine.id} />
    </Dialog>
  )
}
