import { useEffect, useRef, useState } from 'preact/hooks'
import type { OpenIncident } from '../../data/incidents.ts'

/** Time after the last use of a pointer on a list in which its cards keep their places: a tap then hits the card that was seen. */
const steadyMs = 10_000

/** An incident of a list. `isGone`: it is not open any more. */
interface ListedIncident {
  readonly incident: OpenIncident
  readonly isGone: boolean
}

interface SteadyList {
  readonly listed: readonly ListedIncident[]
  /** Number of the incidents that are not listed yet. */
  readonly newCount: number
  /** Lists all of them. */
  readonly release: () => void
  /** Call it when a pointer is used on the list, and when text is typed. */
  readonly onUse: () => void
}

/** Lists incidents in their order. While a pointer is used, cards neither move nor disappear, and new ones are only counted. `open`: all open incidents. */
export function useSteady(incidents: readonly OpenIncident[], open: readonly OpenIncident[]): SteadyList {
  const [kept, setKept] = useState<readonly OpenIncident[] | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const release = () => {
    clearTimeout(timer.current)
    setKept(null)
  }
  const onUse = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(release, steadyMs)
    setKept(before => before ?? incidents)
  }
  const openById = new Map(open.map(incident => [incident.id, incident]))
  const listed = (kept ?? incidents).map(incident => {
    const now = openById.get(incident.id)
    return { incident: now ?? incident, isGone: now === undefined }
  })
  const ids = new Set(listed.map(({ incident }) => incident.id))
  return { listed, newCount: incidents.filter(({ id }) => !ids.has(id)).length, release, onUse }
}
