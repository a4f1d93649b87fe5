import { useRef, useState } from 'preact/hooks'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import { useViewer } from '../../data/viewer.ts'
import { type Locale, useLocale } from '../../texts/locale.ts'
import { type DowntimeData, loadAround, timesOf } from './downtime-data.ts'
import { between, stayApart, type TimeSpan } from './undo.ts'

/** A reason and a note for one part of a split. */
export interface Part {
  readonly reasonId: number | null
  readonly note?: string
}

/** Changes of stops' reasons, and what they did to the report. */
export interface Changes {
  readonly isBusy: boolean
  readonly error: unknown
  /** Words that say what the last change did; '': nothing yet. */
  readonly told: string
  readonly canUndo: boolean
  readonly categorize: (stops: readonly DowntimeRecordAnswer[], part: Part) => void
  readonly split: (stop: DowntimeRecordAnswer, at: string, before: Part, after: Part) => void
  readonly merge: (stops: readonly DowntimeRecordAnswer[], part: Part) => void
  readonly undo: () => void
}

/** Maximum time for which the report is polled until it shows a change. */
const waitsMs = [80, 200, 300, 500, 800, 1500, 3000]

/** A change that was made. */
interface Made {
  /** The stops as they were, under the ids that they have now; null: Undo could not name them alone. */
  readonly before: readonly DowntimeRecordAnswer[] | null
  /** Ids of the reasons whose times it changes. */
  readonly concerned: ReadonlySet<string>
}

/** `load` reloads the screen's data and shows it. */
export function useChanges(data: DowntimeData | null, load: () => Promise<DowntimeData>): Changes {
  const { client } = useViewer()
  const { t, format } = useLocale()
  const words = t.downtime
  const { state, last, change } = useMaking(data, load)
  const { make, remember } = useWishes()

  const nameOf = (reasonId: number | null) =>
    reasonId === null ? words.noReason : (data?.reasons.find(({ id }) => id === reasonId)?.name ?? String(reasonId))
  return {
    ...state,
    canUndo: last !== null && last.before !== null,
    categorize(stops, part) {
      if (stops.length === 0) return
      const count = format.count(stops.length)
      const said = part.reasonId === null ? words.took(count) : words.changed(count, nameOf(part.reasonId))
      const body = { records: idsOf(stops), ...withNote(part) }
      const send = () => client.call('POST /downtime-records/categorize', { body })
      change(said, () => make({ stops, made: stops.map(stop => withReason(stop, part.reasonId)), send }))
    },
    split(stop, at, first, second) {
      const said = words.changed('2', `${nameOf(first.reasonId)}, ${nameOf(second.reasonId)}`)
      const body = { record: stop.id, at, before: withNote(first), after: withNote(second) }
      const send = () => client.call('POST /downtime-records/split', { body })
      const later = { ...stop, id: `${stop.machineId}_${Date.parse(at)}`, startAt: at }
      const made = [withReason({ ...stop, endAt: at }, first.reasonId), withReason(later, second.reasonId)]
      change(said, () => make({ stops: [stop], made, before: [stop, later], send }))
    },
    merge(stops, { reasonId, note: text }) {
      const said = words.changed(format.count(stops.length), nameOf(reasonId))
      const body = {
        records: idsOf(stops),
        ...(reasonId !== null && { reasonId }),
        ...(text !== undefined && { note: text }),
      }
      const send = () => client.call('POST /downtime-records/merge', { body })
      change(said, () => make({ stops, made: stops.map(stop => withReason(stop, reasonId)), covers: true, send }))
    },
    undo() {
      if (last === null || last.before === null) return
      const { before, concerned } = last
      change(words.undo, async () => {
        for (const body of reversals(before)) await client.call('POST /downtime-records/categorize', { body })
        remember(before)
        return { before: null, concerned }
      })
    },
  }
}

/** Applies changes in order and reports the effect of each on the report, unless a later change was requested. */
function useMaking(data: DowntimeData | null, load: () => Promise<DowntimeData>) {
  const locale = useLocale()
  const [state, setState] = useState({ isBusy: false, error: null as unknown, told: '' })
  const [last, setLast] = useState<Made | null>(null)
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const latest = useRef(0)

  const change = (said: string, work: () => Promise<Made>) => {
    if (data === null) return
    const earlier = data
    const number = ++latest.current
    const isLatest = () => number === latest.current
    const tell = (told: string, isBusy = false) => {
      if (isLatest()) setState({ isBusy, error: null, told })
    }
    tell(said, true)
    // One after the other: who types quickly loses nothing.
    const done = queue.current.then(work)
    queue.current = done.catch(() => undefined)
    const run = async () => {
      const made = await done
      setLast(made)
      tell(said)
      const effectIn = (now: DowntimeData) => effectOf(earlier, now, made.concerned, locale)
      await awaitEffect({ earlier, load, isLatest, effectIn, tell: effect => tell(`${said} ${effect}`), locale })
    }
    run().catch((error: unknown) => {
      setState({ isBusy: false, error, told: '' })
      load().catch(() => undefined)
    })
  }
  return { state, last, change }
}

interface Waiting {
  readonly earlier: DowntimeData
  readonly load: () => Promise<DowntimeData>
  /** Whether no other change was requested meanwhile. */
  readonly isLatest: () => boolean
  /** Words for how the report differs; '': it does not yet. */
  readonly effectIn: (now: DowntimeData) => string
  readonly tell: (effect: string) => void
  readonly locale: Locale
}

/** Asks the report again until it shows a change, or tells that it will do so later. */
async function awaitEffect({ earlier, load, isLatest, effectIn, tell, locale }: Waiting): Promise<void> {
  let effect = ''
  for (const waitMs of waitsMs) {
    await new Promise(resolve => setTimeout(resolve, waitMs))
    if (!isLatest()) return
    // The screen shows the failed reload; the change was applied.
    const read = await load().catch(() => null)
    if (read === null) continue
    if (read.part !== earlier.part) return
    const now = effectIn(read)
    // A change of several hours may come into the report hour by hour: it is whole when it stays as it is.
    if (effect !== '' && now === effect) return
    effect = now
    if (effect !== '') tell(effect)
  }
  if (effect === '') tell(locale.t.downtime.late)
}

/** Words for the times by reason that differ, of reasons that a change concerns. */
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

/** Sends changes, and finds out whether each could be undone. */
function useWishes() {
  const { client } = useViewer()
  const given = useRef(new Map<string, string>())

  const remember = (stops: readonly TimeSpan[]) => {
    for (const { id, reasonId } of stops) given.current.set(id, reasonId)
  }
  const make = async ({ stops, made, before = stops, covers = false, send }: Wish): Promise<Made> => {
    const ids = new Set(stops.map(({ id }) => id))
    const around = await loadAround(client, stops).catch(() => null)
    const others = (around ?? []).filter(({ id }) => !ids.has(id))
    await send()
    // The list may still lack what this screen gave a moment ago.
    const asGiven = others.flatMap(each => [each, { ...each, reasonId: given.current.get(each.id) ?? each.reasonId }])
    remember(made)
    const covered = covers ? between(stops, others) : []
    const canUndo = around !== null && covered.length === 0 && stayApart(made, asGiven)
    return { before: canUndo ? before : null, concerned: reasonsOf([...stops, ...made, ...covered]) }
  }
  return { make, remember }
}

/** Bodies that give stops their reasons and notes back: one for those that had the same. */
function reversals(stops: readonly DowntimeRecordAnswer[]) {
  const byReason = new Map<string, DowntimeRecordAnswer[]>()
  for (const stop of stops) {
    const key = JSON.stringify([personal(stop), stop.note])
    byReason.set(key, [...(byReason.get(key) ?? []), stop])
  }
  return [...byReason.values()].flatMap(alike => {
    const [first] = alike
    return first ? [{ records: idsOf(alike), reasonId: personal(first), note: first.note ?? '' }] : []
  })
}

/** A change to be made. */
interface Wish {
  /** Records that it names. */
  readonly stops: readonly DowntimeRecordAnswer[]
  /** Records that it makes of them, with their new reasons. */
  readonly made: readonly TimeSpan[]
  /** Reasons to come back to, under the ids of `made`; `stops` unless given. */
  readonly before?: readonly DowntimeRecordAnswer[]
  /** It changes what lies between the stops, too. */
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

/** Reasons of records. Without one that a person gave, the report may count the time as setup. */
function reasonsOf(spans: readonly TimeSpan[]): ReadonlySet<string> {
  const ids = new Set(spans.map(({ reasonId }) => reasonId))
  return ids.has('uncategorized') ? ids.add('setup') : ids
}

function uncategorizedLast(a: string, b: string): number {
  return Number(a === 'uncategorized') - Number(b === 'uncategorized')
}

/** The reason that a person gave; null: none. */
export function personal({ reasonId }: DowntimeRecordAnswer): number | null {
  return /^\d+$/.test(reasonId) ? Number(reasonId) : null
}

function reasonNamesOf({ byReason }: DowntimeData): readonly (readonly [string, string])[] {
  return byReason.items.map(row => [String(Reflect.get(row, 'reasonId')), String(Reflect.get(row, 'reason'))])
}
