import type { Status } from '../../../schema/document.ts'
import { useLocale } from '../../texts/locale.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { FollowedSamples } from '../connect/machine-samples.tsx'
import { sinceText } from '../floor/since.ts'

/** A machine's status now, and since when (UTC ms; null: not received yet). */
export interface StatusNow {
  readonly status: Status
  readonly sinceMs: number | null
}

const samplesEveryMs = 15_000

interface StatusProps {
  readonly machineId: string
  readonly now: StatusNow
  /** UTC ms by the service's clock. */
  readonly nowMs: number
}

/** The status of a machine, and when it has sent its last sample. */
export function MachineStatus({ machineId, now: { status, sinceMs }, nowMs }: StatusProps) {
  const { t, format } = useLocale()
  return (
    <div class="machine-now">
      <p class="machine-status">
        <StatusMark status={status} size={20} />
        <strong>{t.status[status]}</strong>
        {sinceMs !== null && <span>{sinceText(sinceMs, nowMs, { t, format })}</span>}
      </p>
      <FollowedSamples machineId={machineId} status={status} everyMs={samplesEveryMs} />
    </div>
  )
}
