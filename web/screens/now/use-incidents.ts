import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { followIncidents, type IncidentsNow } from '../../data/incidents.ts'
import { useLoad } from '../../data/use-load.ts'
import { callNamesOf, hasScope, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import type { IncidentNames } from './incident-texts.ts'

const notLoaded: IncidentsNow = { incidents: null, isCut: false, isLive: false, error: null }

/** Follows the unresolved incidents of a machine; null: of the company. `reload` shows the result of an action. */
export function useOpenIncidents(machineId: string | null) {
  const { client } = useViewer()
  const [now, setNow] = useState(notLoaded)
  const reload = useRef<() => void>(() => undefined)
  useEffect(() => {
    const following = followIncidents(client, machineId === null ? [] : [machineId], setNow)
    reload.current = following.reload
    return () => {
      following.stop()
      setNow(notLoaded)
    }
  }, [client, machineId])
  return { ...now, reload: useCallback(() => reload.current(), []) }
}

/** Loads the names that incidents refer to. */
export function useIncidentNames(): IncidentNames {
  const { t } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const { value: reasons } = useLoad(
    async () => (hasScope(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : []),
    [client],
  )
  return useMemo(
    () => ({ calls: callNamesOf(viewer, t), reasons: new Map((reasons ?? []).map(({ id, name }) => [id, name])) }),
    [viewer, reasons, t],
  )
}
