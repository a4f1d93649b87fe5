import { useRef, useState } from 'preact/hooks'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import { useViewer } from '../../data/viewer.ts'
import { type Locale, useLocale } from '../../texts/locale.ts'
import { type DowntimeData, loadAround, loadStopsOf, maxChanged, timesOf } from './downtime-data.ts'
import { countStops, type ListRow } from './list-rows.ts'
import { between, stayApart, type TimeSpan } from './undo.ts'

/** A reason and a note for one part of a split. */
export interface Part {
  readonly reasonId: number | null
  readonly note?: string
}

/** Changes of the reasons of downtime records, with their effect on the report. */
export interface DowntimeChanges {
  readonly isBusy: boolean
  readonly error: unknown
  /** Message about the last change and its effect; '': no change yet. */
  readonly message: string
  readonly canUndo: boolean
  readonly categorize: (rows: readonly ListRow[], part: Part) => void
  readonly split: (stop: DowntimeRecordResponse, at: string, before: Part, after: Part) => void
  readonly merge: (stops: readonly DowntimeRecordResponse[], part: Part) => void
  readonly undo: () => void
}

/** Maximum time for which the report is polled until it shows a change. */
const waitsMs = [80, 200, 300, 500, 800, 1500, 3000]

interface AppliedChange {
  /** The previous records, under their present ids; null: the change cannot be undone. */
  readonly before: readonly DowntimeRecordResponse[] | null
  /** Ids of the reasons whose durations the change affects. */
  readonly concerned: ReadonlySet<string>
}

/** Applies changes of downtime records. `load` reloads and shows the data of the screen. */
export function useDowntimeChanges(data: DowntimeData | null, load: () => Promise<DowntimeData>): DowntimeChanges {
  const { client } = useViewer()
  const { t, format } = useLocale()
  const words = t.downtime
  const { state, last, change } = useChangeQueue(data, load)
  const { apply, storeReasons } = useChangeRequests()

  const nameOf = (reasonId: number | null) =>
    reasonId === null
      ? t.reports.absent.uncategorized
      : (data?.reasons.find(({ id }) => id === reasonId)?.name ?? String(reasonId))
  return {
    ...state,
    canUndo: last !== null && last.before !== null,
    categorize(rows, part) {
      if (rows.length === 0 || data === null) return
      const count = format.count(Math.min(countStops(rows), maxChanged))
      const message = part.reasonId === null ? words.took(count) : words.changed(count, nameOf(part.reasonId))
      change(message, async () => {
        const stops = await loadStopsOf(client, rows, data.list)
        const body = { records: idsOf(stops), ...withNote(part) }
        const send = () => client.call('POST /downtime-records/categorize', { body })
        return apply({ stops, changed: stops.map(stop => withReason(stop, part.reasonId)), send })
      })
    },
    split(stop, at, first, second) {
      const message = words.changed('2', `${nameOf(first.reasonId)}, ${nameOf(second.reasonId)}`)
      const body = { record: stop.id, at, before: withNote(first), after: withNote(second) }
      const send = () => client.call('POST /downtime-records/split', { body })
      const later = { ...stop, id: `${stop.machineId}_${Date.parse(at)}`, startAt: at }
      const changed = [withReason({ ...stop, endAt: at }, first.reasonId), withReason(later, second.reasonId)]
      change(message, () => apply({ stops: [stop], changed, before: [stop, later], send }))
    },
    merge(stops, { reasonId, note: text }) {
      const message = words.changed(format.count(stops.length), nameOf(reasonId))
      const body = {
        records: idsOf(stops),
        ...(reasonId !== null && { reasonId }),
        ...(text !== undefined && { note: text }),
      }
      const send = () => client.call('POST /downtime-records/merge', { body })
      change(message, () =>
        apply({ stops, changed: stops.map(stop => withReason(stop, reasonId)), covers: true, send }),
      )
    },
    undo() {
      if (last === null || last.before === null) return
      const { before, concerned } = last
      change(words.undo, async () => {
        for (const body of reversals(before)) await client.call('POST /downtime-records/categorize', { body })
        storeReasons(before)
        return { before: null, concerned }
      })
    },
  }
}

/** Applies changes in order and reports the effect of each on the report, unless a later change was requested. */
function useChangeQueue(data: DowntimeData | null, load: () => Promise<DowntimeData>) {
  const locale = useLocale()
  const [state, setState] = useState({ isBusy: false, error: null as unknown, message: '' })
  const [last, setLast] = useState<AppliedChange | null>(null)
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const latest = useRef(0)

  const change = (message: string, work: () => Promise<AppliedChange>) => {
    if (data === null) return
    const earlier = data
    const number = ++latest.current
    const isLatest = () => number === latest.current
    const show = (text: string, isBusy = false) => {
      if (isLatest()) setState({ isBusy, error: null, message: text })
    }
    show(message, true)
    // In order, so that no change of a fast user is lost.
    const done = queue.current.then(work)
    queue.current = done.catch(() => undefined)
    const run = async () => {
      const changed = await done
      setLast(changed)
      show(message)
      const effectIn = (now: DowntimeData) => effectOf(earlier, now, changed.concerned, locale)
      await awaitEffect({ earlier, load, isLatest, effectIn, onEffect: effect => show(`${message} ${effect}`), locale })
    }
    run().catch((error: unknown) => {
      setState({ isBusy: false, error, message: '' })
      load().catch(() => undefined)
    })
  }
  return { state, last, change }
}

interface EffectOptions {
  readonly earlier: DowntimeData
  readonly load: () => Promise<DowntimeData>
  readonly isLatest: () => boolean
  /** Message about the differences in the report; '': there are none yet. */
  readonly effectIn: (now: DowntimeData) => string
  readonly onEffect: (effect: string) => void
  readonly locale: Locale
}

/** Polls the report until it shows a change; after the last poll, notifies that the report follows later. */
async function awaitEffect({ earlier, load, isLatest, effectIn, onEffect, locale }: EffectOptions): Promise<void> {
  let effect = ''
  for (const waitMs of waitsMs) {
    await new Promise(resolve => setTimeout(resolve, waitMs))
    if (!isLatest()) return
    // The screen shows the failed reload; the change was applied.
    const read = await load().catch(() => null)
    if (read === null) continue
    if (read.part !== earlier.part) return
    const now = effectIn(read)
    // Hours of a longer change are recomputed one after the other: it is complete when two polls return the same.
    if (effect !== '' && now === effect) return
    effect = now
    if (effect !== '') onEffect(effect)
  }
  if (effect === '') onEffect(locale.t.downtime.late)
}

/** Returns the message about the durations that differ, of the reasons that a change affects. */
function effectOf(
  earlier: DowntimeData,
  now: DowntimeData,
  concerned: ReadonlySet<string>,
  { t: { downtime: words }, format }: Locale,
): string {
  const [was, is] = [timesOf(earlier), timesOf(now)]
  const names = new Map([...reasonNamesOf(earlier), ...reasonNamesOf(now)])
  const ids = [...new Set([...was.keys(), ...is.keys()])].filter(id => concerned.has(id)).sort(uncategorizedLast)
  // An ongoing stop grows meanwhile: growth is not an effect of the change.
  const differing = ids.filter(id => Math.abs((was.get(id) ?? 0) - (is.get(id) ?? 0)) > 10_000)
  return differing
    .map(id =>
      words.effect(
        id === 'uncategorized' ? words.figures.open : (names.get(id) ?? id),
        format.duration(was.get(id) ?? 0),
        format.duration(is.get(id) ?? 0),
      ),
    )
    .join(' ')
}

/** Sends changes, and determines whether each can be undone. */
function useChangeRequests() {
  const { client } = useViewer()
  const sentReasons = useRef(new Map<string, string>())

  const storeReasons = (stops: readonly TimeSpan[]) => {
    for (const { id, reasonId } of stops) sentReasons.current.set(id, reasonId)
  }
  const apply = async ({
    stops,
    changed,
    before = stops,
    covers = false,
    send,
  }: ChangeRequest): Promise<AppliedChange> => {
    const ids = new Set(stops.map(({ id }) => id))
    const around = await loadAround(client, stops).catch(() => null)
    const others = (around ?? []).filter(({ id }) => !ids.has(id))
    await send()
    // The list may still lack reasons that this screen has just sent.
    const withSentReasons = others.flatMap(each => [
      each,
      { ...each, reasonId: sentReasons.current.get(each.id) ?? each.reasonId },
    ])
    storeReasons(changed)
    const covered = covers ? between(stops, others) : []
    const canUndo = around !== null && covered.length === 0 && stayApart(changed, withSentReasons)
    return { before: canUndo ? before : null, concerned: reasonsOf([...stops, ...changed, ...covered]) }
  }
  return { apply, storeReasons }
}

/** Returns the request bodies that restore reasons and notes: one for all records with the same reason and note. */
function reversals(stops: readonly DowntimeRecordResponse[]) {
  const byReason = new Map<string, DowntimeRecordResponse[]>()
  for (const stop of stops) {
    const key = JSON.stringify([personal(stop), stop.note])
    byReason.set(key, [...(byReason.get(key) ?? []), stop])
  }
  return [...byReason.values()].flatMap(alike => {
    const [first] = alike
    return first ? [{ records: idsOf(alike), reasonId: personal(first), note: first.note ?? '' }] : []
  })
}

interface ChangeRequest {
  readonly stops: readonly DowntimeRecordResponse[]
  readonly changed: readonly TimeSpan[]
  /** Records that Undo restores, under the ids of `changed`; default: `stops`. */
  readonly before?: readonly DowntimeRecordResponse[]
  /** Whether it also changes the records between the stops. */
  readonly covers?: boolean
  readonly send: () => Promise<unknown>
}

function idsOf(stops: readonly TimeSpan[]): readonly string[] {
  return stops.map(({ id }) => id)
}

function withNote({ reasonId, note }: Part) {
  return { reasonId, ...(note !== undefined && { note }) }
}

function withReason(stop: TimeSpan, reasonId: number | null): TimeSpan {
  const { id, machineId, startAt, endAt } = stop
  return { id, machineId, startAt, endAt, reasonId: reasonId === null ? 'uncategorized' : String(reasonId) }
}

/** Returns the reasons of records. The report may count uncategorized time as setup. */
function reasonsOf(spans: readonly TimeSpan[]): ReadonlySet<string> {
  const ids = new Set(spans.map(({ reasonId }) => reasonId))
  return ids.has('uncategorized') ? ids.add('setup') : ids
}

function uncategorizedLast(a: string, b: string): number {
  return Number(a === 'uncategorized') - Number(b === 'uncategorized')
}

/** Returns the reason that a user assigned; null: no reason. */
export function personal({ reasonId }: DowntimeRecordResponse): number | null {
  return /^\d+$/.test(reasonId) ? Number(reasonId) : null
}

function reasonNamesOf({ byReason }: DowntimeData): readonly (readonly [string, string])[] {
  return byReason.items.map(row => [String(Reflect.get(row, 'reasonId')), String(Reflect.get(row, 'reason'))])
}
