import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import { stopsIn } from './list-rows.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { ReasonDialog, SplitDialog } from './dialogs.tsx'
import { personal, type DowntimeChanges } from './use-downtime-changes.ts'
import type { Selection } from './use-selection.ts'

/** A change that needs more input than a reason. */
export type PendingChange = 'note' | 'split' | 'merge'

interface ChangeDialogProps {
  readonly pending: PendingChange
  readonly selection: Selection
  readonly changes: DowntimeChanges
  readonly reasons: readonly DowntimeReasonResponse[]
  readonly nameOf: (machineId: string) => string
  readonly onClose: () => void
}

/** Asks for what a change needs, and makes it. */
export function ChangeDialog({ pending, selection, changes, reasons, nameOf, onClose }: ChangeDialogProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const words = t.downtime
  const { meant } = selection
  const [first] = stopsIn(meant)
  const make = (change: () => void) => {
    onClose()
    change()
    selection.clear()
  }
  if (pending === 'split')
    return first === undefined ? null : (
      <SplitDialog
        stop={first}
        nowMs={client.now()}
        reasons={reasons}
        onSave={(at, before, after) => make(() => changes.split(first, at, before, after))}
        onClose={onClose}
      />
    )
  if (pending === 'note')
    return (
      <ReasonDialog
        title={words.noteTitle}
        reasons={reasons}
        first={{ reasonId: first ? personal(first) : null, note: first?.note ?? '' }}
        needsReason
        onSave={part => make(() => changes.categorize(meant, part))}
        onClose={onClose}
      />
    )
  if (!selection.canMerge) return null
  const chosen = stopsIn(selection.chosen)
  const inOrder = chosen.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))
  return (
    <ReasonDialog
      title={words.mergeTitle}
      text={mergeText()}
      reasons={reasons}
      first={partToMerge(inOrder)}
      needsReason
      onSave={part => make(() => changes.merge(chosen, part))}
      onClose={onClose}
    />
  )

  function mergeText(): string {
    const [earliest, latest] = [inOrder[0], inOrder.at(-1)]
    const end = latest?.endAt ?? client.now()
    const name = nameOf(earliest?.machineId ?? '')
    return words.mergeText(format.count(chosen.length), name, format.dateTime(earliest?.startAt), format.dateTime(end))
  }
}

/** The reason of the first that has one, and every note. */
function partToMerge(inOrder: readonly DowntimeRecordResponse[]) {
  const notes = inOrder.map(({ note }) => note ?? '').filter(note => note !== '')
  const reasonId = inOrder.map(personal).find(id => id !== null) ?? null
  return { reasonId, note: [...new Set(notes)].join('\n') }
}
