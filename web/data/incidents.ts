import type { IncidentItem } from '../../schema/requests/incidents.ts'
import type { IncidentUpdate } from '../../schema/requests/live.ts'
import type { Client } from './client.ts'
import { openChannel } from './live-channel.ts'
import { poll } from './poll.ts'

const pageSize = 200
/** Limit of the incidents that are read while the live channel is not available. */
const maxPolled = 5 * pageSize

/** An unresolved incident. `forYou`: a target of the user has a notice of it; false while the live channel is not available. */
export interface OpenIncident extends IncidentItem, Pick<IncidentUpdate, 'forYou'> {}

/** The unresolved incidents at a moment. */
export interface IncidentsNow {
  /** The most severe first, then the longest; null: not loaded yet. */
  readonly incidents: readonly OpenIncident[] | null
  /** Whether there may be more incidents. */
  readonly isCut: boolean
  readonly isLive: boolean
  /** Failure of a request that keeps failing; null: no failure. */
  readonly error: unknown
}

interface IncidentsFollowing {
  /** Reads the incidents now, unless they are live. */
  readonly reload: () => void
  readonly stop: () => void
}

/** Interval of polling while the live channel is not available. */
const polledMs = 3_000
/** Changes are shown together, this often. */
const drawMs = 100

/** Follows the unresolved incidents of machines; an empty list: of the company. */
export function followIncidents(
  client: Client,
  machineIds: readonly string[],
  onChange: (now: IncidentsNow) => void,
): IncidentsFollowing {
  let known: ReadonlyMap<string, OpenIncident> | null = null
  /** Incidents of the channel; complete when it is live. */
  let received = new Map<string, OpenIncident>()
  let isLive = false
  let isCut = false
  let error: unknown = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    timer = undefined
    onChange({ incidents: known && [...known.values()].toSorted(bySeverity), isCut, isLive, error })
  }
  const changed = () => (timer ??= setTimeout(draw, drawMs))
  const channel = openChannel<IncidentUpdate>({
    client,
    channel: 'incidents',
    command: { event: 'set_filter', data: { machineIds } },
    onUpdate({ incident, forYou }) {
      if (isUnresolved(incident)) received.set(incident.id, { ...incident, forYou })
      else received.delete(incident.id)
      if (isLive) changed()
    },
    onListed() {
      isLive = true
      isCut = false
      error = null
      known = received
      changed()
    },
    onJoined() {
      isLive = false
      received = new Map()
      changed()
    },
  })
  const start = () =>
    poll(
      () => polledMs,
      failure => {
        if (isLive) return
        error = failure
        changed()
      },
      async () => {
        if (isLive) return
        const read = await readOpenIncidents(client, machineIds)
        // The channel may have been joined meanwhile.
        if (isLive) return
        isCut = read.length >= maxPolled
        known = new Map(read.map(each => [each.id, { ...each, forYou: false }]))
      },
    )
  let stopPolling = start()
  return {
    reload() {
      if (isLive) return
      stopPolling()
      stopPolling = start()
    },
    stop() {
      clearTimeout(timer)
      channel.close()
      stopPolling()
    },
  }
}

export function isUnresolved({ state }: Pick<IncidentItem, 'state'>): boolean {
  return state === 'open' || state === 'acknowledged'
}

const severities: readonly IncidentItem['severity'][] = ['critical', 'warning', 'info']

/** Compares incidents: the most severe first, then the one that began first. */
function bySeverity(a: IncidentItem, b: IncidentItem): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    Date.parse(a.startedAt) - Date.parse(b.startedAt) ||
    (a.id < b.id ? -1 : 1)
  )
}

/** Reads unresolved incidents; of more than the limit, the oldest. */
async function readOpenIncidents(client: Client, machineIds: readonly string[]): Promise<readonly IncidentItem[]> {
  const found: IncidentItem[] = []
  while (found.length < maxPolled) {
    const startId = found.at(-1)?.id ?? null
    const page = { direction: 'ASC', startId, limit: String(pageSize) }
    const query = { state: ['open', 'acknowledged'], ...(machineIds.length > 0 && { machineId: machineIds }), ...page }
    const incidents = await client.call('GET /incidents', { query })
    found.push(...incidents)
    if (incidents.length < pageSize) break
  }
  return found
}
