import { useEffect, useRef } from 'preact/hooks'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'

export interface StopKeysOptions {
  readonly stops: readonly DowntimeRecordResponse[]
  readonly chosen: ReadonlySet<string>
  readonly current: string | null
  readonly onChoose: (ids: ReadonlySet<string>) => void
  readonly onCurrent: (id: string) => void
  /** Called with keys that the list does not use itself; true: it was of use. */
  readonly onKey: (key: string) => boolean
}

/** Moves among stops and chooses them by keys. `body` is to be the table's body, `at` is the index of the stop that keys act on. */
export function useStopKeys({ stops, chosen, current, onChoose, onCurrent, onKey }: StopKeysOptions) {
  const body = useRef<HTMLTableSectionElement>(null)
  const wantsFocus = useRef(false)
  const at = Math.max(
    0,
    stops.findIndex(({ id }) => id === current),
  )
  const focus = (index: number) => body.current?.querySelectorAll<HTMLElement>('input[type=checkbox]')[index]?.focus()
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    focus(at)
  }, [at, stops])
  const move = (index: number, extends_: boolean) => {
    const stop = stops[Math.min(Math.max(index, 0), stops.length - 1)]
    if (!stop) return
    if (extends_) onChoose(new Set([...chosen, stops[at]?.id ?? stop.id, stop.id]))
    onCurrent(stop.id)
    // At once: an effect comes later, and would take the focus back from the next key.
    focus(stops.indexOf(stop))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = findTarget(event.key, at, stops.length)
    if (target !== undefined) move(target, event.shiftKey)
    else if (event.key === 'Escape') onChoose(new Set())
    else {
      wantsFocus.current = true
      if (!onKey(event.key)) return void (wantsFocus.current = false)
    }
    event.preventDefault()
  }
  return { body, at, onKeyDown }
}

/** Index that a key moves to, perhaps beyond the list; undefined: it moves nowhere. */
function findTarget(key: string, at: number, length: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: length - 1,
    PageDown: at + 10,
    PageUp: at - 10,
  }
  return steps[key]
}
