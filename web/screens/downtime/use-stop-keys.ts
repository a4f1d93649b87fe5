import { useEffect, useRef } from 'preact/hooks'
import type { ListRow } from './list-rows.ts'

export interface StopKeysOptions {
  readonly rows: readonly ListRow[]
  readonly chosen: ReadonlySet<string>
  readonly current: string | null
  readonly onChoose: (ids: ReadonlySet<string>) => void
  readonly onCurrent: (id: string) => void
  /** Called with keys that the list does not use itself; true: it was of use. */
  readonly onKey: (key: string) => boolean
}

/** Moves among rows and chooses them by keys. `body` is to be the table's body, `at` is the index of the row that keys act on. */
export function useStopKeys({ rows, chosen, current, onChoose, onCurrent, onKey }: StopKeysOptions) {
  const body = useRef<HTMLTableSectionElement>(null)
  const wantsFocus = useRef(false)
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === current),
  )
  const focus = (index: number) => body.current?.querySelectorAll<HTMLElement>('input[type=checkbox]')[index]?.focus()
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    focus(at)
  }, [at, rows])
  const move = (index: number, extends_: boolean) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!row) return
    if (extends_) onChoose(new Set([...chosen, rows[at]?.id ?? row.id, row.id]))
    onCurrent(row.id)
    // At once: an effect comes later, and would take the focus back from the next key.
    focus(rows.indexOf(row))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = findTarget(event.key, at, rows.length)
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
