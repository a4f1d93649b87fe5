import { useEffect, useRef } from 'preact/hooks'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import { useLocale } from '../../texts/locale.ts'
import { Link } from '../../router/link.tsx'
import { timelineAddress } from '../machine/address.ts'

interface ListProps {
  readonly stops: readonly DowntimeRecordAnswer[]
  readonly nameOf: (machineId: string) => string
  readonly chosen: ReadonlySet<string>
  /** Id of the stop that keys act on. */
  readonly current: string | null
  readonly onChoose: (ids: ReadonlySet<string>) => void
  readonly onCurrent: (id: string) => void
  /** Called with keys that the list does not use itself; true: it was of use. */
  readonly onKey: (key: string) => boolean
}

/** The stops as a table in which keys move and choose. */
export function StopList({ stops, nameOf, chosen, current, onChoose, onCurrent, onKey }: ListProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const body = useRef<HTMLTableSectionElement>(null)
  const wantsFocus = useRef(false)
  const at = Math.max(
    0,
    stops.findIndex(({ id }) => id === current),
  )
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    body.current?.querySelectorAll<HTMLElement>('input[type=checkbox]')[at]?.focus()
  }, [at, stops])
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  const move = (index: number, extends_: boolean) => {
    const stop = stops[Math.min(Math.max(index, 0), stops.length - 1)]
    if (!stop) return
    if (extends_) onChoose(new Set([...chosen, stops[at]?.id ?? stop.id, stop.id]))
    onCurrent(stop.id)
    // At once: an effect comes later, and would take the focus back from the next key.
    body.current?.querySelectorAll<HTMLElement>('input[type=checkbox]')[stops.indexOf(stop)]?.focus()
  }
  return (
    <table class="table stops">
      <thead>
        <tr>
          <th>
            <span class="unseen">{words.columns.chosen}</span>
          </th>
          {(['machine', 'start', 'duration', 'reason', 'note'] as const).map(name => (
            <th key={name} scope="col">
              {words.columns[name]}
            </th>
          ))}
          <th>
            <span class="unseen">{words.columns.timeline}</span>
          </th>
        </tr>
      </thead>
      <tbody
        ref={body}
        onKeyDown={event => {
          if (event.ctrlKey || event.metaKey || event.altKey) return
          const steps: Readonly<Record<string, number>> = {
            ArrowDown: at + 1,
            ArrowUp: at - 1,
            Home: 0,
            End: stops.length - 1,
            PageDown: at + 10,
            PageUp: at - 10,
          }
          const target = steps[event.key]
          if (target !== undefined) move(target, event.shiftKey)
          else if (event.key === 'Escape') onChoose(new Set())
          else {
            wantsFocus.current = true
            if (!onKey(event.key)) return void (wantsFocus.current = false)
          }
          event.preventDefault()
        }}
      >
        {stops.map((stop, index) => {
          const { id, machineId, startAt, endAt, inRangeMs, reasonId, reason, reasonColor, note } = stop
          const [machine, start] = [nameOf(machineId), format.dateTime(startAt)]
          return (
            <tr
              key={id}
              data-current={id === current}
              data-chosen={chosen.has(id)}
              onClick={event => {
                onCurrent(id)
                if (!(event.target instanceof HTMLElement && event.target.closest('a, input, label'))) toggle(id)
              }}
            >
              <td class="stop-choice">
                <input
                  type="checkbox"
                  aria-label={words.choose(machine, start)}
                  checked={chosen.has(id)}
                  tabIndex={index === at ? 0 : -1}
                  onChange={() => toggle(id)}
                  onFocus={() => onCurrent(id)}
                />
              </td>
              <th scope="row">{machine}</th>
              <td data-label={words.columns.start}>{start}</td>
              <td data-label={words.columns.duration} class="figure-cell">
                {format.duration(inRangeMs)}
                {endAt === null && <span class="stop-running">{words.running}</span>}
              </td>
              <td data-label={words.columns.reason}>
                <ReasonMark color={reasonColor} />
                {reasonId === 'uncategorized' ? (
                  <span class="stop-none">{words.noReason}</span>
                ) : reasonId === 'setup' ? (
                  t.reports.absent.setup
                ) : (
                  reason
                )}
              </td>
              <td data-label={words.columns.note} class="stop-note">
                {note === null || note === '' ? t.none : note}
              </td>
              <td>
                <Link
                  to="app/machine"
                  query={timelineAddress(machineId, Date.parse(startAt), endAt === null ? null : Date.parse(endAt))}
                  class="stop-link"
                >
                  <span aria-hidden="true">{words.toTimeline}</span>
                  <span class="unseen">{words.toTimelineOf(machine, start)}</span>
                </Link>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The colour of a reason; an outline where it has none. */
export function ReasonMark({ color }: { readonly color: string | null }) {
  return (
    <svg class="reason-mark" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" data-none={color === null}>
      <rect x="1" y="1" width="10" height="10" rx="3" {...(color !== null && { fill: color })} />
    </svg>
  )
}
