import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import { useLocale } from '../../texts/locale.ts'
import { Link } from '../../router/router.tsx'
import { timelineAddress } from '../machine/address.ts'
import { type StopKeysOptions, useStopKeys } from './use-stop-keys.ts'

interface ListProps extends StopKeysOptions {
  readonly nameOf: (machineId: string) => string
}

/** The stops as a table in which keys move and choose. */
export function StopList(props: ListProps) {
  const { stops, nameOf, chosen, current, onChoose, onCurrent } = props
  const { body, at, onKeyDown } = useStopKeys(props)
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <table class="table stops">
      <Heads />
      <tbody ref={body} onKeyDown={onKeyDown}>
        {stops.map((stop, index) => (
          <StopRow
            key={stop.id}
            stop={stop}
            machine={nameOf(stop.machineId)}
            isCurrent={stop.id === current}
            isChosen={chosen.has(stop.id)}
            isTabStop={index === at}
            onToggle={() => toggle(stop.id)}
            onCurrent={() => onCurrent(stop.id)}
          />
        ))}
      </tbody>
    </table>
  )
}

function Heads() {
  const { t } = useLocale()
  const words = t.downtime
  return (
    <thead>
      <tr>
        <th>
          <span class="unseen">{words.chosen}</span>
        </th>
        {(['machine', 'start', 'duration', 'reason', 'note'] as const).map(name => (
          <th key={name} scope="col">
            {t.terms[name]}
          </th>
        ))}
        <th>
          <span class="unseen">{t.terms.timeline}</span>
        </th>
      </tr>
    </thead>
  )
}

interface StopRowProps {
  readonly stop: DowntimeRecordResponse
  readonly machine: string
  /** Whether keys act on it. */
  readonly isCurrent: boolean
  readonly isChosen: boolean
  /** Whether the key Tab leads to it. */
  readonly isTabStop: boolean
  readonly onToggle: () => void
  readonly onCurrent: () => void
}

function StopRow({ stop, machine, isCurrent, isChosen, isTabStop, onToggle, onCurrent }: StopRowProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const { machineId, startAt, endAt, inRangeMs, note } = stop
  const start = format.dateTime(startAt)
  return (
    <tr
      data-current={isCurrent}
      data-chosen={isChosen}
      onClick={event => {
        onCurrent()
        if (event.target instanceof HTMLElement && event.target.closest('a, input, label')) return
        onToggle()
        // The keys that assign reasons act where the focus is.
        event.currentTarget.querySelector('input')?.focus({ preventScroll: true })
      }}
    >
      <td class="stop-choice">
        <input
          type="checkbox"
          aria-label={words.choose(machine, start)}
          checked={isChosen}
          tabIndex={isTabStop ? 0 : -1}
          onChange={onToggle}
          onFocus={onCurrent}
        />
      </td>
      <th scope="row">{machine}</th>
      <td data-label={t.terms.start}>{start}</td>
      <td data-label={t.terms.duration} class="figure-cell">
        {format.duration(inRangeMs)}
        {endAt === null && <span class="stop-running">{words.running}</span>}
      </td>
      <td data-label={t.terms.reason}>
        <Reason stop={stop} />
      </td>
      <td data-label={t.terms.note} class="stop-note">
        {note === null || note === '' ? t.none : note}
      </td>
      <td>
        <Link
          to="app/machine"
          query={timelineAddress(machineId, Date.parse(startAt), endAt === null ? null : Date.parse(endAt))}
          class="stop-link"
        >
          <span aria-hidden="true">{t.terms.timeline}</span>
          <span class="unseen">{words.toTimelineOf(machine, start)}</span>
        </Link>
      </td>
    </tr>
  )
}

function Reason({ stop: { reasonId, reason, reasonColor } }: { readonly stop: DowntimeRecordResponse }) {
  const { t } = useLocale()
  return (
    <>
      <ReasonMark color={reasonColor} />
      {reasonId === 'uncategorized' ? (
        <span class="stop-none">{t.reports.absent.uncategorized}</span>
      ) : reasonId === 'setup' ? (
        t.reports.absent.setup
      ) : (
        reason
      )}
    </>
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
