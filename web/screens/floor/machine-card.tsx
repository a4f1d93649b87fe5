import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { MachineSamples } from '../connect/machine-samples.tsx'
import { Figures } from './figures.tsx'
import type { FloorMachine } from './floor-machine.ts'
import { reasonOf } from './unavailable.ts'

/** All that the floor knows of one machine. */
export function MachineCard({ floor, onClose }: { readonly floor: FloorMachine; readonly onClose: () => void }) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const nowMs = useNow(() => client.now())
  const { machine, now, figures, activity } = floor
  const words = t.floor.details
  const facts = [
    [t.screens.alarms, now.message],
    [t.terms.reason, activity?.reason?.name],
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
        {now.sinceMs !== null && <span>{format.duration(nowMs - now.sinceMs)}</span>}
      </p>
      <Connection floor={floor} />
      <MachineSamples machine={machine} nowMs={nowMs} />
      <Figures today={figures} />
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

/** Why a machine that a connector reads is UNAVAILABLE, with a link to the connector. */
function Connection({ floor: { machine, now } }: { readonly floor: FloorMachine }) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const reason = reasonOf(machine, now.status, t)
  const { since, connectorId } = machine.connection
  if (reason === '') return null
  return (
    <div class="notice">
      <p>
        {t.source.why(reason)} {since !== null && t.source.sinceWhen(format.dateTime(since))}
      </p>
      {connectorId !== null && hasScope(viewer, 'connector.read') && (
        <Link to="app/connectors">{t.source.toMapping}</Link>
      )}
    </div>
  )
}
