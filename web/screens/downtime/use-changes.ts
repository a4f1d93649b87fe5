import { useRef, useState } from 'preact/hooks'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { type DowntimeData, timesOf } from './downtime-data.ts'

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

/** So long the report is asked again until it shows a change. */
const waitsMs = [80, 200, 300, 500, 800, 1500, 3000]

/** The stops as they were before the last change. */
type Before = readonly DowntimeRecordAnswer[]

/** `load` reads the screen's data anew and shows it. */
export function useChanges(data: DowntimeData | null, load: () => Promise<DowntimeData>): Changes {
  const { client } = useViewer()
  const { t, format } = useLocale()
  const words = t.downtime
  const [state, setState] = useState({ isBusy: false, error: null as unknown, told: '' })
  const [before, setBefore] = useState<Before>([])
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const latest = useRef(0)

  const nameOf = (reasonId: number | null) =>
    reasonId === null ? words.noReason : (data?.reasons.find(({ id }) => id === reasonId)?.name ?? String(reasonId))
  const change = (next: Before, said: string, work: () => Promise<unknown>) => {
    if (data === null) return
    const earlier = data
    const number = ++latest.current
    const tell = (told: string, isBusy = false) => {
      if (number === latest.current) setState({ isBusy, error: null, told })
    }
    tell(said, true)
    // One after the other: who types quickly loses nothing.
    const done = queue.current.then(work)
    queue.current = done.catch(() => undefined)
    const run = async () => {
      await done
      setBefore(next)
      tell(said)
      let effect = ''
      for (const waitMs of waitsMs) {
        await new Promise(resolve => setTimeout(resolve, waitMs))
        if (number !== latest.current) return
        const now = effectOf(earlier, await load())
        // A change of several hours may come into the report hour by hour: it is whole when it stays as it is.
        if (effect !== '' && now === effect) return
        effect = now
        if (effect !== '') tell(`${said} ${effect}`)
      }
      if (effect === '') tell(`${said} ${words.late}`)
    }
    run().catch((error: unknown) => {
      setState({ isBusy: false, error, told: '' })
      load().catch(() => undefined)
    })
  }
  const effectOf = (earlier: DowntimeData, now: DowntimeData) => {
    const [was, is] = [timesOf(earlier), timesOf(now)]
    const names = new Map([...reasonNamesOf(earlier), ...reasonNamesOf(now)])
    const ids = [...new Set([...was.keys(), ...is.keys()])].sort(uncategorizedLast)
    // A stop that goes on grows meanwhile: that alone is no effect.
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
  const idsOf = (stops: Before) => stops.map(({ id }) => id)
  const withNote = ({ reasonId, note }: Part) => ({ reasonId, ...(note !== undefined && { note }) })
  return {
    ...state,
    canUndo: before.length > 0,
    categorize(stops, part) {
      if (stops.length === 0) return
      const count = format.count(stops.length)
      const said = part.reasonId === null ? words.took(count) : words.changed(count, nameOf(part.reasonId))
      change(stops, said, () =>
        client.call('POST /downtime-records/categorize', { body: { records: idsOf(stops), ...withNote(part) } }),
      )
    },
    split: (stop, at, first, second) =>
      change([], words.changed('2', `${nameOf(first.reasonId)}, ${nameOf(second.reasonId)}`), () =>
        client.call('POST /downtime-records/split', {
          body: { record: stop.id, at, before: withNote(first), after: withNote(second) },
        }),
      ),
    merge: (stops, { reasonId, note }) =>
      change(stops, words.changed(format.count(stops.length), nameOf(reasonId)), () =>
        client.call('POST /downtime-records/merge', {
          body: { records: idsOf(stops), ...(reasonId !== null && { reasonId }), ...(note !== undefined && { note }) },
        }),
      ),
    undo() {
      const byReason = new Map<string, DowntimeRecordAnswer[]>()
      for (const stop of before) {
        const key = JSON.stringify([personal(stop), stop.note])
        byReason.set(key, [...(byReason.get(key) ?? []), stop])
      }
      change([], words.undo, async () => {
        for (const stops of byReason.values()) {
          const [first] = stops
          if (!first) continue
          const body = { records: idsOf(stops), reasonId: personal(first), note: first.note ?? '' }
          await client.call('POST /downtime-records/categorize', { body })
        }
      })
    },
  }
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
