import { useMemo, useState } from 'preact/hooks'
import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { type OpenIncidentsQuery, readOpenIncidents } from '../../data/incidents.ts'
import { useLoad, usePolled } from '../../data/use-load.ts'
import { callNamesOf, hasScope, useViewer } from '../../data/viewer.ts'
import { type IncidentNames, isUnresolved } from './incident-texts.ts'

const everyMs = 3_000

/** The list may lack a change for this long: another process may have returned it. */
const listedWithinMs = 5_000

interface Change {
  readonly incident: IncidentItem
  readonly atMs: number
}

/**
 * Follows the unresolved incidents of the company that a query selects, longest first; null: none. `put` shows an incident
 * as a request returned it, until the list contains the change.
 */
export function useOpenIncidents(query: OpenIncidentsQuery | null = {}) {
  const { client } = useViewer()
  const key = JSON.stringify(query)
  const read = async () => ({ key, incidents: query === null ? [] : await readOpenIncidents(client, query) })
  const { value: found, ...polled } = usePolled(everyMs, read, [client, key])
  const value = found?.key === key ? found.incidents : null
  const [changes, setChanges] = useState<readonly Change[]>([])
  const put = (incident: IncidentItem) => {
    setChanges(before => [...before.filter(isRecent), { incident, atMs: Date.now() }])
    polled.reload()
  }
  return { ...polled, value: value && withChanges(value, changes.filter(isRecent)), put }
}

function isRecent({ atMs }: Change): boolean {
  return Date.now() - atMs < listedWithinMs
}

function withChanges(incidents: readonly IncidentItem[], changes: readonly Change[]): readonly IncidentItem[] {
  if (changes.length === 0) return incidents
  const byId = new Map([...incidents, ...changes.map(({ incident }) => incident)].map(each => [each.id, each]))
  return [...byId.values()].filter(isUnresolved)
}

/** Loads the names that incidents refer to. */
export function useIncidentNames(): IncidentNames {
  const viewer = useViewer()
  const { client } = viewer
  const { value: reasons } = useLoad(
    async () => (hasScope(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : []),
    [client],
  )
  return useMemo(
    () => ({ calls: callNamesOf(viewer), reasons: new Map((reasons ?? []).map(({ id, name }) => [id, name])) }),
    [viewer, reasons],
  )
}
