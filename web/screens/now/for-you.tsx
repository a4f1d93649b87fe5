import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OpenIncident } from '../../data/incidents.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { type IncidentNames, titleOf } from './incident-texts.ts'

interface ForYouProps {
  /** The open incidents; null: they are not live. */
  readonly open: readonly OpenIncident[] | null
  readonly names: IncidentNames
  /** Opens the details of an incident. */
  readonly onOpen: (id: string) => void
  /** The head of the page, without its button. */
  readonly children: ComponentChildren
}

/** The head of the page with a button that turns notifications on. Shows the newest incident of which the user was notified since the page was opened, also as a notification of the browser if the page is hidden. */
export function ForYou({ open, names, onOpen, children }: ForYouProps) {
  const { t } = useLocale()
  const { userId } = useViewer()
  const [permission, setPermission] = useState(notifications?.permission)
  const known = useRef<Set<string> | null>(null)
  const [newestId, setNewestId] = useState<string | null>(null)
  const textOf = (incident: OpenIncident) => t.now.forYouNew(`${incident.subject.name}, ${titleOf(incident, names, t)}`)
  const show = (id: string) => {
    setNewestId(null)
    onOpen(id)
  }
  useEffect(() => {
    if (open === null) return
    const before = known.current
    const ofUser = open.filter(({ forYou }) => forYou)
    known.current = new Set([...(before ?? []), ...ofUser.map(({ id }) => id)])
    const newest = before && ofUser.findLast(({ id }) => !before.has(id))
    if (!newest) return
    setNewestId(newest.id)
    if (document.hidden) notify(textOf(newest), newest.id, () => show(newest.id))
  }, [open])
  const newest = open?.find(({ id }) => id === newestId)
  return (
    <>
      <header class="page-head">
        {children}
        {userId !== null && permission === 'default' && (
          <Button
            look="quiet"
            text={t.now.notify}
            onClick={() => void notifications?.requestPermission().then(setPermission, () => undefined)}
          />
        )}
      </header>
      {newest && (
        <div class="notice for-you-new" role="alert">
          <p>{textOf(newest)}</p>
          <Button text={t.now.show} onClick={() => show(newest.id)} />
          <Button look="quiet" text={t.app.close} onClick={() => setNewestId(null)} />
        </div>
      )}
    </>
  )
}

/** Browsers have notifications on secure pages only. */
const notifications = 'Notification' in globalThis ? Notification : undefined

function notify(text: string, tag: string, onClick: () => void): void {
  if (notifications?.permission !== 'granted') return
  try {
    const notification = new notifications(text, { tag })
    notification.addEventListener('click', () => {
      focus()
      notification.close()
      onClick()
    })
  } catch {
    // Browsers of phones have only those of service workers.
  }
}
