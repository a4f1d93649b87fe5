import type { Status } from '../../../schema/document.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { reasonOf } from './reason-of.ts'

interface ConnectionNoticeProps {
  readonly machine: MachineListItem
  readonly status: Status
}

/** Why a machine that a connector reads is UNAVAILABLE, with a link to the connector. */
export function ConnectionNotice({ machine, status }: ConnectionNoticeProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const reason = reasonOf(machine, status, t)
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
