import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { appliesToAll } from '../../data/reason-groups.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { type PendingChange, ChangeDialog } from './change-dialog.tsx'
import type { DowntimeData } from './downtime-data.ts'
import { canSplit, stopsIn } from './list-rows.ts'
import { StopList } from './stop-list.tsx'
import { Tools } from './tools.tsx'
import { type DowntimeChanges, personal, useDowntimeChanges } from './use-downtime-changes.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useSelection } from './use-selection.ts'

interface EditorProps {
  readonly data: DowntimeData
  readonly nameOf: (machineId: string) => string
  readonly canChange: boolean
  readonly load: () => Promise<DowntimeData>
  /** Stands in place of a list without stops. */
  readonly children: ComponentChildren
}

/** The list of stops with all that can be done to those that are chosen. */
export function Editor({ data, nameOf, canChange, load, children }: EditorProps) {
  const words = useLocale().t.downtime
  const selection = useSelection(data.rows)
  const [pending, setPending] = useState<PendingChange | null>(null)
  const changes = useDowntimeChanges(data, load)
  const { meant } = selection
  const meantIds = new Set(meant.map(({ machineId }) => machineId))
  const meantMachines = data.machines.filter(({ id }) => meantIds.has(id))
  const reasons = data.reasons.filter(reason => appliesToAll(reason, meantMachines))
  // A stop may have a reason that does not apply to its machine.
  const assignedIds = new Set(stopsIn(meant).map(personal))
  const root = useKeptFocus()

  const give = (reasonId: number | null) => {
    changes.categorize(meant, { reasonId })
    // The list closes up where stops leave it: the next one takes their place.
    selection.moveOn()
  }
  const onKey = (key: string) => {
    const act = canChange ? findAction(key.toLowerCase()) : undefined
    act?.()
    return act !== undefined
  }

  return (
    <div ref={root} class="stops-root" tabIndex={-1}>
      <Failure error={changes.error} />
      {data.rows.length === 0 ? (
        children
      ) : (
        <div class="stops-editor" data-readonly={!canChange}>
          <div class="stack">
            {canChange && <p class="hint stops-keys">{words.keys}</p>}
            {canChange && <p class="hint stops-touch">{words.touch}</p>}
            <div class="stops-scroll">
              <StopList
                rows={data.rows}
                nameOf={nameOf}
                chosen={selection.chosenIds}
                current={selection.currentId}
                onChoose={selection.choose}
                onCurrent={selection.goTo}
                onKey={onKey}
              />
            </div>
          </div>
          {canChange ? (
            <Tools
              selection={selection}
              reasons={reasons}
              allReasons={data.reasons}
              isBusy={changes.isBusy}
              onReason={give}
              onNewReason={() => void load().catch(() => undefined)}
              onAsk={setPending}
            />
          ) : (
            <p class="notice">{words.readOnly}</p>
          )}
        </div>
      )}
      <LastChange changes={changes} />
      {pending !== null && (
        <ChangeDialog
          {...{ pending, selection, changes, nameOf }}
          reasons={data.reasons.filter(reason => reasons.includes(reason) || assignedIds.has(reason.id))}
          onClose={() => setPending(null)}
        />
      )}
    </div>
  )

  function findAction(key: string): (() => void) | undefined {
    if (key === '0') return () => give(null)
    if (/^[1-9]$/.test(key)) {
      const reason = reasons[Number(key) - 1]
      return () => reason && give(reason.id)
    }
    const { canMerge, chooseAll } = selection
    if (key === 'n' && meant.length > 0) return () => setPending('note')
    if (key === 's' && canSplit(meant)) return () => setPending('split')
    if (key === 'm' && canMerge) return () => setPending('merge')
    if (key === 'z' && changes.canUndo) return changes.undo
    return key === 'a' ? chooseAll : undefined
  }
}

function LastChange({ changes }: { readonly changes: DowntimeChanges }) {
  const words = useLocale().t.downtime
  return (
    <div class="stops-last" data-empty={changes.message === '' && !changes.canUndo}>
      <p class="stops-told" role="status" data-empty={changes.message === ''}>
        {changes.message}
      </p>
      {changes.canUndo && <Button look="quiet" text={words.undo} disabled={changes.isBusy} onClick={changes.undo} />}
    </div>
  )
}
