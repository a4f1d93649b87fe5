import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { PartAdjustmentAnswer } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeAnswer } from '../../../schema/records/part-adjustment-type.ts'
import { idParts } from '../../data/id-parts.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { amount } from '../../reports/amount.ts'
import { ruleOf } from '../../reports/period-picker.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { ComparedRange } from '../../time/period.ts'
import { addDays, instantOf } from '../../time/wall-time.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loading } from '../../ui/notice.tsx'
import { RemoveDialog } from '../../ui/remove-dialog.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import type { AdjustmentKind } from './entry-draft.ts'

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
  | { readonly kind: 'edit'; readonly entry: PartAdjustmentAnswer }
  | { readonly kind: 'remove'; readonly entry: PartAdjustmentAnswer }

/** Part adjustments of the range, newest first: entered, changed and deleted here. */
export function Entries({ range, machines, known, turn, onSaved }: EntriesProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const [open, setOpen] = useState<Open | null>(null)
  const [isSaved, setSaved] = useState(false)
  const [shown, setShown] = useState(shownFirst)
  const key = JSON.stringify([range.range, machines, turn])
  const { value, error, reload } = useLoad(async () => {
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
    reload()
    onSaved()
  }
  const close = () => setOpen(null)
  const words = t.quality
  return (
    <section class="stack" aria-labelledby="entries-title">
      <div class="page-head">
        <h2 id="entries-title">{words.entries}</h2>
        <div class="presets">
          <button type="button" class="button primary" onClick={() => setOpen({ kind: 'enter', as: 'reject' })}>
            <Icon name="plus" size={16} />
            {words.enter}
          </button>
          <button type="button" class="button" onClick={() => setOpen({ kind: 'enter', as: 'correction' })}>
            {words.correct}
          </button>
        </div>
      </div>
      <p class="hint">{words.entriesIntro}</p>
      <p class="done" role="status">
        {isSaved ? words.saved : ''}
      </p>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null ? (
        error === null && <Loading />
      ) : value.entries.length === 0 ? (
        <Empty text={words.noEntries} />
      ) : (
        <EntryTable entries={value.entries.slice(0, shown)} types={value.types} known={known} onOpen={setOpen} />
      )}
      {value && value.entries.length > shown && (
        <button type="button" class="button quiet" onClick={() => setShown(shown + 200)}>
          {t.reports.more(format.count(value.entries.length - shown))}
        </button>
      )}
      {value?.isCut && <p class="notice">{words.many(format.count(most))}</p>}
      {open !== null && open.kind !== 'remove' && value && (
        <EntryDialog
          entry={open.kind === 'edit' ? open.entry : null}
          as={open.kind === 'enter' ? open.as : 'reject'}
          machines={machines ?? []}
          known={known}
          types={value.types}
          onClose={close}
          onSaved={saved}
        />
      )}
      {open?.kind === 'remove' && (
        <RemoveDialog
          title={words.removeTitle}
          text={words.removeText}
          submit={words.remove}
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

function newestFirst(a: PartAdjustmentAnswer, b: PartAdjustmentAnswer): number {
  return Date.parse(b.adjustmenttime) - Date.parse(a.adjustmenttime)
}

/** The list takes instants: days are taken by the company's clock. */
function instantsOf({ range }: ComparedRange, rule: ReturnType<typeof ruleOf>) {
  if ('start' in range) return range
  const at = (date: string) => new Date(instantOf(`${date}T${rule.startOfDay}`, rule.timeZone)).toISOString()
  return { start: at(range.startDay), end: at(addDays(range.endDay, 1)) }
}

interface TableProps {
  readonly entries: readonly PartAdjustmentAnswer[]
  readonly types: readonly PartAdjustmentTypeAnswer[]
  readonly known: readonly MachineListItem[]
  readonly onOpen: (open: Open) => void
}

function EntryTable({ entries, types, known, onOpen }: TableProps) {
  const locale = useLocale()
  const { t, format } = locale
  const words = t.quality
  const machineNames = new Map(known.map(({ id, name }) => [id, name]))
  const typeNames = new Map(types.map(({ id, name }) => [id, name]))
  return (
    <table class="table compact">
      <thead>
        <tr>
          <th scope="col">{words.time}</th>
          <th scope="col">{words.machine}</th>
          <th scope="col">{words.reason}</th>
          <th scope="col">{words.scrapCount}</th>
          <th scope="col">{words.count}</th>
          <th scope="col">{words.behavior}</th>
          <th scope="col">{words.note}</th>
          <th scope="col">{words.actions}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(entry => {
          const when = format.dateTime(entry.adjustmenttime)
          const machine = machineNames.get(entry.machine_id) ?? t.none
          const reason = entry.category_id === null ? words.noReason : (typeNames.get(entry.category_id) ?? t.none)
          const name = `${machine}, ${when}`
          return (
            <tr key={entry.id}>
              <th scope="row" class="when">
                {when}
              </th>
              <td data-label={words.machine}>{machine}</td>
              <td data-label={words.reason}>{reason}</td>
              <td class="figure-cell" data-label={words.scrapCount}>
                {amount(entry.scrapcount, 'parts', locale)}
              </td>
              <td class="figure-cell" data-label={words.count}>
                {entry.count > 0 ? '+' : ''}
                {amount(entry.count, 'parts', locale)}
              </td>
              <td data-label={words.behavior}>
                {entry.scrapcount === 0 ? t.none : words.behaviors[entry.reject_behavior]}
              </td>
              <td data-label={words.note}>{entry.message === '' ? t.none : entry.message}</td>
              <td class="actions">
                <button
                  type="button"
                  class="button quiet"
                  aria-label={words.editOf(name)}
                  onClick={() => onOpen({ kind: 'edit', entry })}
                >
                  {words.edit}
                </button>
                <button
                  type="button"
                  class="button quiet danger"
                  aria-label={words.removeOf(name)}
                  onClick={() => onOpen({ kind: 'remove', entry })}
                >
                  {words.remove}
                </button>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
