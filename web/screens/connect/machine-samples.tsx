import type { Status } from '../../../schema/document.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { usePolled } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { useNow } from '../../ui/use-now.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { MachineClock } from './machine-clock.tsx'

interface MachineSamplesProps {
  readonly machine: Pick<MachineListItem, 'id' | 'lastSample' | 'missing' | 'connection'>
  /** UTC ms. */
  readonly nowMs: number
}

/** When a machine has sent its last sample, and what its samples do not determine, with a link to the mapping. */
export function MachineSamples({ machine, nowMs }: MachineSamplesProps) {
  const { t, format } = useLocale()
  const { lastSample } = machine
  return (
    <>
      {lastSample !== null && (
        <p class="hint" title={format.dateTime(lastSample)}>
          {t.source.lastSample(format.duration(nowMs - Date.parse(lastSample)))}
        </p>
      )}
      <Missing machine={machine} />
    </>
  )
}

interface FollowedProps {
  readonly machineId: string
  /** Status of the machine now; absent: it is not shown why the machine is UNAVAILABLE. */
  readonly status?: Status
  readonly everyMs: number
}

/** Shows samples, clock and connection of a machine that is loaded again every `everyMs`. */
export function FollowedSamples({ machineId, status, everyMs }: FollowedProps) {
  const { client } = useViewer()
  const nowMs = useNow(() => client.now())
  const { value: machines } = usePolled(everyMs, () => client.call('GET /machines', { query: { machineId } }), [
    client,
    machineId,
  ])
  const [machine] = machines ?? []
  if (!machine) return null
  return (
    <>
      {status && <ConnectionNotice machine={machine} status={status} />}
      <MachineSamples machine={machine} nowMs={nowMs} />
      <MachineClock skewMs={machine.connection.skewMs} />
    </>
  )
}

/** List of the facts that the samples of a machine do not determine; empty if the service does not know. */
function Missing({ machine: { id, missing, connection } }: Pick<MachineSamplesProps, 'machine'>) {
  const { t } = useLocale()
  const viewer = useViewer()
  if (missing === null || missing.length === 0) return null
  const isSerious = missing.includes('state')
  return (
    <div class={isSerious ? 'notice problem' : 'notice'}>
      <p>{t.source.lacks(missing.map(each => t.source.roles[each]).join(', '))}</p>
      {hasScope(viewer, 'connector') && (
        <Link
          to="app/connect"
          query={connection.connectorId === null ? { posted: id } : { connector: connection.connectorId }}
        >
          {t.source.toRules}
        </Link>
      )}
    </div>
  )
}
