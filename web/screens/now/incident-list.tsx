import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OpenIncident } from '../../data/incidents.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { More } from '../../reports/more.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/use-now.ts'
import { IncidentCard } from './incident-card.tsx'
import { IncidentDialog } from './incident-dialog.tsx'
import type { IncidentNames } from './incident-texts.ts'
import { useSteady } from './use-steady.ts'

const shownFirst = 30

interface ListProps {
  readonly incidents: readonly OpenIncident[]
  /** All open incidents: those, and others. */
  readonly open: readonly OpenIncident[]
  readonly names: IncidentNames
  /** Called after an action. */
  readonly onChanged: () => void
  /** Opens the details of an incident; null closes them. */
  readonly onOpen: (id: string | null) => void
  /** Id of the incident whose details are open. */
  readonly openId: string | null
}

/** Cards of incidents, and the details of one. */
export function IncidentList({ incidents, open, names, onChanged, onOpen, openId }: ListProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const { value: assignees } = useLoad(
    async () => (hasScope(viewer, 'incident') ? client.call('GET /incident-assignees') : []),
    [client],
  )
  const { listed, newCount, release, onUse } = useSteady(incidents, open)
  const nowMs = useNow(() => client.now())
  const [shown, setShown] = useState(shownFirst)
  const { list, onFocus } = useKeptFocus()
  return (
    <>
      {newCount > 0 && (
        <Button look="primary incidents-new" text={t.now.newOnes(format.count(newCount))} onClick={release} />
      )}
      <ul
        ref={list}
        class="incidents"
        tabIndex={-1}
        onFocusCapture={onFocus}
        onPointerDown={onUse}
        onPointerMove={onUse}
        onInput={onUse}
      >
        {listed.slice(0, shown).map(({ incident, isGone }) => (
          <li key={incident.id}>
            <IncidentCard
              incident={incident}
              isGone={isGone}
              assignees={assignees}
              names={names}
              nowMs={nowMs}
              onChanged={onChanged}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ul>
      <More left={listed.length - shown} onMore={() => setShown(shown + shownFirst)} />
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
