import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { PartAdjustmentResponse } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeResponse } from '../../../schema/records/part-adjustment-type.ts'
import { idParts } from '../../data/id-parts.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { amount } from '../../reports/amount.ts'
import { More } from '../../reports/more.tsx'
import { ruleOf } from '../../reports/period-picker.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { ComparedRange } from '../../time/period.ts'
import { addDays, instantOf } from '../../time/wall-time.ts'
import { Button } from '../../ui/button.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/dialog.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { AdjustmentDialog } from '../../records/adjustment-dialog.tsx'
import type { AdjustmentKind } from '../../records/adjustment-draft.ts'

const most = 5000
const shownFirst = 30

interface EntriesProps {
  readonly range: ComparedRange
  /** Ids; null: all. */
  readonly machines: readonly string[] | null
  readonly known: readonly MachineListItem[]
  readonly turn: number
  readonly onSaved: () => void
}

type Open =
  | { readonly kind: 'enter'; readonly as: AdjustmentKind }
  | { readonly kind: 'edit'; readonly entry: PartAdjustmentResponse }
  | { readonly kind: 'remove'; readonly entry: PartAdjustmentResponse }

/** Part adjustments of the range, newest first: entered, changed and deleted here. */
export function Entries({ range, machines, known, turn, onSaved }: EntriesProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const [open, setOpen] = useState<Open | null>(null)
  const [isSaved, setSaved] = useState(false)
  const [shown, setShown] = useState(shownFirst)
  const key = JSON.stringify([range.range, machines, turn])
  const loaded = useLoad(async () => {
    const query = { ...instantsOf(range, ruleOf(viewer)), limit: String(most) }
    const [types, ...found] = await Promise.all([
      // Entries have also types that are offered no more.
      client.call('GET /part-adjustment-types', { query: { includeHidden: 'true' } }),
      ...idParts(machines).map(ids => client.call('GET /part-adjustments', { query: { ...query, machine_id: ids } })),
    ])
    return {
      types,
      entries: found.flat().toReversed().toSorted(newestFirst),
      isCut: found.some(part => part.length === most),
    }
  }, [client, key])
  const saved = () => {
    setOpen(null)
    setSaved(true)
    loaded.reload()
    onSaved()
  }
  const close = () => setOpen(null)
  const words = t.quality
  return (
    <section class="stack" aria-labelledby="entries-title">
      <div class="page-head">
        <h2 id="entries-title">{words.entries}</h2>
        <div class="presets">
          <Button
            look="primary"
            icon="plus"
            text={words.enter}
            onClick={() => setOpen({ kind: 'enter', as: 'reject' })}
          />
          <Button text={words.correct} onClick={() => setOpen({ kind: 'enter', as: 'correction' })} />
        </div>
      </div>
      <p class="hint">{words.entriesIntro}</p>
      <p class="done" role="status">
        {isSaved ? words.saved : ''}
      </p>
      <Await loaded={loaded}>
        {({ entries, types, isCut }) => (
          <>
            {entries.length === 0 ? (
              <Empty text={words.noEntries} />
            ) : (
              <EntryTable entries={entries.slice(0, shown)} types={types} known={known} onOpen={setOpen} />
            )}
            <More left={entries.length - shown} onMore={() => setShown(shown + 200)} />
            {isCut && <p class="notice">{words.many(format.count(most))}</p>}
          </>
        )}
      </Await>
      {open !== null && open.kind !== 'remove' && loaded.value && (
        <AdjustmentDialog
          entry={open.kind === 'edit' ? open.entry : null}
          as={open.kind === 'enter' ? open.as : 'reject'}
          machines={machines ?? []}
          known={known}
          types={loaded.value.types}
          onClose={close}
          onSaved={saved}
        />
      )}
      {open?.kind === 'remove' && (
        <RemoveDialog
          title={words.removeTitle}
          text={words.removeText}
          submit={t.records.remove}
          onClose={close}
          onRemove={async () => {
            await client.call('DELETE /part-adjustment/:id', { params: { id: open.entry.id } })
            saved()
          }}
        />
      )}
    </section>
  )
}

function newestFirst(a: PartAdjustmentResponse, b: PartAdjustmentResponse): number {
  return Date.parse(b.adjustmenttime) - Date.parse(a.adjustmenttime)
}

/** The list takes instants: days are taken by the company's clock. */
function instantsOf({ range }: ComparedRange, rule: ReturnType<typeof ruleOf>) {
  if ('start' in range) return range
  const at = (date: string) => new Date(instantOf(`${date}T${rule.startOfDay}`, rule.timeZone)).toISOString()
  return { start: at(range.startDay), end: at(addDays(range.endDay, 1)) }
}

interface TableProps {
  readonly entries: readonly PartAdjustmentResponse[]
  readonly types: readonly PartAdjustmentTypeResponse[]
  readonly known: readonly MachineListItem[]
  readonly onOpen: (open: Open) => void
}

function EntryTable({ entries, types, known, onOpen }: TableProps) {
  const locale = useLocale()
  const { t, format } = locale
  const words = t.quality
  const machineNames = new Map(known.map(({ id, name }) => [id, name]))
  const typeNames = new Map(types.map(({ id, name }) => [id, name]))
  const nameOf = ({ machine_id: id, adjustmenttime }: PartAdjustmentResponse) =>
    `${machineNames.get(id) ?? t.none}, ${format.dateTime(adjustmenttime)}`
  const actionsOf = (entry: PartAdjustmentResponse) => (
    <>
      <Button
        look="quiet"
        text={t.keys.edit}
        aria-label={t.records.editOf(nameOf(entry))}
        onClick={() => onOpen({ kind: 'edit', entry })}
      />
      <Button
        look="quiet"
        text={t.records.remove}
        aria-label={words.removeOf(nameOf(entry))}
        onClick={() => onOpen({ kind: 'remove', entry })}
      />
    </>
  )
  const columns: readonly Column<PartAdjustmentResponse>[] = [
    { title: t.terms.time, class: 'when', cell: ({ adjustmenttime }) => format.dateTime(adjustmenttime) },
    { title: t.terms.machine, cell: ({ machine_id: id }) => machineNames.get(id) ?? t.none },
    {
      title: t.terms.reason,
      cell: ({ category_id: id }) => (id === null ? words.noReason : (typeNames.get(id) ?? t.none)),
    },
    { title: words.scrapCount, class: 'figure-cell', cell: ({ scrapcount }) => amount(scrapcount, 'parts', locale) },
    {
      title: t.floor.figures.goodParts,
      class: 'figure-cell',
      cell: ({ count }) => `${count > 0 ? '+' : ''}${amount(count, 'parts', locale)}`,
    },
    {
      title: words.behavior,
      cell: ({ scrapcount, reject_behavior: behavior }) => (scrapcount === 0 ? t.none : words.behaviors[behavior]),
    },
    { title: t.terms.note, cell: ({ message }) => message || t.none },
    { title: t.keys.actions, class: 'actions', cell: actionsOf },
  ]
  return <Table look="compact" columns={columns} rows={entries} keyOf={({ id }) => id} />
}
