import { usePolled } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { FollowedSamples } from '../connect/machine-samples.tsx'
import type { StatusNow } from '../floor/floor-machine.ts'
import { readOpenStops } from '../floor/open-stops.ts'
import { sinceMsOf, sinceText } from '../floor/since.ts'

const samplesEveryMs = 15_000
const stopEveryMs = 10_000

interface StatusProps {
  readonly machineId: string
  readonly now: StatusNow
  /** UTC ms by the service's clock. */
  readonly nowMs: number
}

/** The status of a machine, the start of its stop or status as on the floor, and when it has sent its last sample. */
export function MachineStatus({ machineId, now, nowMs }: StatusProps) {
  const { t, format } = useLocale()
  const sinceMs = useSinceMs(machineId, now)
  return (
    <div class="machine-now">
      <p class="machine-status" data-status={now.status}>
        <StatusMark status={now.status} size={20} />
        <strong>{t.status[now.status]}</strong>
        {sinceMs !== null && <span>{sinceText(sinceMs, nowMs, { t, format })}</span>}
      </p>
      <FollowedSamples machineId={machineId} status={now.status} everyMs={samplesEveryMs} />
    </div>
  )
}

/** Start of a machine's stop, otherwise of its status (UTC ms); null: not known yet. */
function useSinceMs(machineId: string, now: StatusNow): number | null {
  const { client } = useViewer()
  const { value: stops, error } = usePolled(stopEveryMs, () => readOpenStops(client, [machineId]), [client, now.status])
  if (now.status === 'ACTIVE') return now.sinceMs
  // A key without the right to read stops shows the status only.
  if (stops === null && error === null) return null
  return sinceMsOf({ now, stop: stops?.get(machineId) ?? null })
}
