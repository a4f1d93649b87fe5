import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Failure } from '../../ui/notice.tsx'
import type { DowntimeData } from './downtime-data.ts'
import { ReasonDialog, SplitDialog } from './dialogs.tsx'
import { Palette } from './palette.tsx'
import { StopList } from './stop-list.tsx'
import { personal, useChanges } from './use-changes.ts'

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
  const { t, format } = useLocale()
  const { client } = useViewer()
  const words = t.downtime
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [currentId, setCurrent] = useState<string | null>(null)
  const [isAsking, setAsking] = useState<'note' | 'split' | 'merge' | null>(null)
  const changes = useChanges(data, load)
  const chosen = data.stops.filter(({ id }) => chosenIds.has(id))
  const current = data.stops.find(({ id }) => id === currentId)
  const meant = chosen.length > 0 ? chosen : current ? [current] : []
  const [first] = meant
  const canMerge = chosen.length > 1 && chosen.every(({ machineId }) => machineId === chosen[0]?.machineId)

  const give = (reasonId: number | null) => {
    // The list closes up where stops leave it: the next one takes their place.
    const index = data.stops.findIndex(({ id }) => id === currentId)
    const ids = new Set(meant.map(({ id }) => id))
    const next = data.stops.slice(Math.max(index, 0)).find(({ id }) => !ids.has(id))
    changes.categorize(meant, { reasonId })
    setChosen(new Set())
    if (ids.has(currentId ?? '')) setCurrent(next?.id ?? currentId)
  }
  const onKey = (key: string) => {
    if (!canChange) return false
    if (/^[0-9]$/.test(key)) {
      const reason = data.reasons[Number(key) - 1]
      if (key === '0') give(null)
      else if (reason) give(reason.id)
      return true
    }
    const letter = key.toLowerCase()
    if (letter === 'n' && first) setAsking('note')
    else if (letter === 's' && meant.length === 1) setAsking('split')
    else if (letter === 'm' && canMerge) setAsking('merge')
    else if (letter === 'z' && changes.canUndo) changes.undo()
    else if (letter === 'a') setChosen(new Set(data.stops.map(({ id }) => id)))
    else return false
    return true
  }
  const close = () => setAsking(null)
  const partOf = (stop: DowntimeRecordAnswer) => ({ reasonId: personal(stop), note: stop.note ?? '' })

  return (
    <>
      <p class="stops-told" role="status" data-empty={changes.told === ''}>
        {changes.told}
      </p>
      {changes.error !== null && <Failure error={changes.error} />}
      {changes.canUndo && (
        <button type="button" class="button quiet stops-undo" disabled={changes.isBusy} onClick={changes.undo}>
          {words.undo}
        </button>
      )}
      {data.stops.length === 0 ? (
        children
      ) : (
        <div class="stops-editor" data-readonly={!canChange}>
          <div class="stack">
            {canChange && <p class="hint stops-keys">{words.keys}</p>}
            <StopList
              stops={data.stops}
              nameOf={nameOf}
              chosen={chosenIds}
              current={currentId}
              onChoose={setChosen}
              onCurrent={setCurrent}
              onKey={onKey}
            />
          </div>
          {canChange ? (
            <aside class="stops-tools" aria-label={words.give}>
              <Palette
                reasons={data.reasons}
                count={meant.length}
                isBusy={changes.isBusy}
                onReason={give}
                onNewReason={() => void load().catch(() => undefined)}
              />
              <div class="presets">
                <button
                  type="button"
                  class="button quiet"
                  disabled={!first || changes.isBusy}
                  onClick={() => setAsking('note')}
                >
                  {words.note}
                </button>
                <button
                  type="button"
                  class="button quiet"
                  disabled={meant.length !== 1 || changes.isBusy}
                  onClick={() => setAsking('split')}
                >
                  {words.split}
                </button>
                <button
                  type="button"
                  class="button quiet"
                  disabled={!canMerge || changes.isBusy}
                  title={words.mergeOne}
                  onClick={() => setAsking('merge')}
                >
                  {words.merge}
                </button>
                <button
                  type="button"
                  class="button quiet"
                  onClick={() => setChosen(chosen.length > 0 ? new Set() : new Set(data.stops.map(({ id }) => id)))}
                >
                  {chosen.length > 0 ? words.clear : words.chooseAll}
                </button>
              </div>
            </aside>
          ) : (
            <p class="notice">{words.readOnly}</p>
          )}
        </div>
      )}
      {isAsking === 'note' && first && (
        <ReasonDialog
          title={words.noteTitle}
          reasons={data.reasons}
          first={partOf(first)}
          needsReason
          onSave={part => {
            close()
            changes.categorize(meant, part)
            setChosen(new Set())
          }}
          onClose={close}
        />
      )}
      {isAsking === 'split' && first && (
        <SplitDialog
          stop={first}
          nowMs={client.now()}
          reasons={data.reasons}
          onSave={(at, before, after) => {
            close()
            changes.split(first, at, before, after)
            setChosen(new Set())
          }}
          onClose={close}
        />
      )}
      {isAsking === 'merge' && canMerge && first && (
        <ReasonDialog
          title={words.mergeTitle}
          text={mergeText(chosen)}
          reasons={data.reasons}
          first={partToMerge(chosen)}
          needsReason
          onSave={part => {
            close()
            changes.merge(chosen, part)
            setChosen(new Set())
          }}
          onClose={close}
        />
      )}
    </>
  )

  /** The reason of the first that has one, and every note. */
  function partToMerge(stops: readonly DowntimeRecordAnswer[]) {
    const inOrder = stops.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))
    const notes = inOrder.map(({ note }) => note ?? '').filter(note => note !== '')
    const reasonId = inOrder.map(personal).find(id => id !== null) ?? null
    return { reasonId, note: [...new Set(notes)].join('\n') }
  }

  function mergeText(stops: readonly DowntimeRecordAnswer[]): string {
    const inOrder = stops.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))
    const [earliest, latest] = [inOrder[0], inOrder.at(-1)]
    const end = latest?.endAt ?? new Date(client.now()).toISOString()
    const name = nameOf(earliest?.machineId ?? '')
    return words.mergeText(format.count(stops.length), name, format.dateTime(earliest?.startAt), format.dateTime(end))
  }
}
