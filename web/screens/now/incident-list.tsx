import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { useViewer } from '../../data/viewer.ts'
import { More } from '../../reports/more.tsx'
import { useNow } from '../../ui/use-now.ts'
import { IncidentCard } from './incident-card.tsx'
import { IncidentDialog } from './incident-dialog.tsx'
import type { IncidentNames } from './incident-texts.ts'

const shownFirst = 30

interface ListProps {
  readonly incidents: readonly IncidentItem[]
  readonly names: IncidentNames
  /** Called after an action. */
  readonly onChanged: () => void
  /** Opens the details of an incident; null closes them. */
  readonly onOpen: (id: string | null) => void
  /** Id of the incident whose details are open. */
  readonly openId: string | null
}

/** Cards of incidents, and the details of one. */
export function IncidentList({ incidents, names, onChanged, onOpen, openId }: ListProps) {
  const { client } = useViewer()
  const nowMs = useNow(() => client.now())
  const [shown, setShown] = useState(shownFirst)
  const { list, onFocus } = useKeptFocus()
  return (
    <>
      <ul ref={list} class="incidents" tabIndex={-1} onFocusCapture={onFocus}>
        {incidents.slice(0, shown).map(incident => (
          <li key={incident.id}>
            <IncidentCard incident={incident} names={names} nowMs={nowMs} onChanged={onChanged} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      <More left={incidents.length - shown} onMore={() => setShown(shown + shownFirst)} />
      {openId !== null && (
        <IncidentDialog
          key={openId}
          id={openId}
          listed={incidents.find(({ id }) => id === openId)}
          names={names}
          onChanged={onChanged}
          onClose={() => onOpen(null)}
        />
      )}
    </>
  )
}

/** Moves the focus to the card at the same place, or to the empty list, if the element that had it disappears. */
function useKeptFocus() {
  const list = useRef<HTMLUListElement>(null)
  const last = useRef<{ readonly element: Element; readonly index: number } | null>(null)
  const onFocus = ({ target }: FocusEvent) => {
    const cards = [...(list.current?.children ?? [])]
    if (target instanceof Element)
      last.current = { element: target, index: cards.findIndex(each => each.contains(target)) }
  }
  useLayoutEffect(() => {
    if (last.current === null || last.current.element.isConnected || document.activeElement !== document.body) return
    const cards = list.current?.children ?? []
    const card = cards[Math.min(last.current.index, cards.length - 1)]
    const next = card?.querySelector<HTMLElement>('button') ?? list.current
    next?.focus()
  })
  return { list, onFocus }
}
