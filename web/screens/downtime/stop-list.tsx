import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import type { ComponentChildren } from 'preact'
import type { ListRow, ShortStopsRow } from './list-rows.ts'
import { focusTarget } from './use-kept-focus.ts'
import { useLocale } from '../../texts/locale.ts'
import { reasonText } from './stops-table.ts'
import { Link } from '../../router/router.tsx'
import { timelineAddress } from '../machine/address.ts'
import { type StopKeysOptions, useStopKeys } from './use-stop-keys.ts'

interface ListProps extends StopKeysOptions {
  readonly nameOf: (machineId: string) => string
}

/** The stops as a table in which keys move and choose. */
export function StopList(props: ListProps) {
  const { rows, nameOf, chosen, current, onChoose, onCurrent } = props
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
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            machine={nameOf(row.machineId)}
            isCurrent={row.id === current}
            isChosen={chosen.has(row.id)}
            isTabStop={index === at}
            onToggle={() => toggle(row.id)}
            onCurrent={() => onCurrent(row.id)}
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
          <th key={name} scope="col" class={name === 'duration' ? 'figure-cell' : undefined}>
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

interface RowProps {
  readonly row: ListRow
  readonly machine: string
  /** Whether keys act on it. */
  readonly isCurrent: boolean
  readonly isChosen: boolean
  /** Whether the key Tab leads to it. */
  readonly isTabStop: boolean
  readonly onToggle: () => void
  readonly onCurrent: () => void
}

function Row({ row, machine, isCurrent, isChosen, isTabStop, onToggle, onCurrent }: RowProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const label =
    row.kind === 'stop'
      ? words.choose(machine, format.dateTime(row.stop.startAt))
      : words.chooseShort(machine, format.count(row.count))
  return (
    <tr
      data-kind={row.kind}
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
          aria-label={label}
          checked={isChosen}
          tabIndex={isTabStop ? 0 : -1}
          onChange={onToggle}
          onFocus={onCurrent}
          {...(isTabStop && focusTarget)}
        />
      </td>
      <th scope="row">{machine}</th>
      {row.kind === 'stop' ? <StopCells stop={row.stop} machine={machine} /> : <ShortStopsCells row={row} />}
    </tr>
  )
}

/** An ongoing stop has grown by less since the list was read. */
const notedCutMs = 120_000

interface StopCellsProps {
  readonly stop: DowntimeRecordResponse
  readonly machine: string
}

function StopCells({ stop, machine }: StopCellsProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const { machineId, startAt, endAt, durationMs, inRangeMs, note } = stop
  const start = format.dateTime(startAt)
  return (
    <>
      <td data-label={t.terms.start} class="when">
        {start}
      </td>
      <Duration ms={inRangeMs}>
        {durationMs - inRangeMs >= notedCutMs && (
          <span class="stop-whole">{words.ofWhole(format.duration(durationMs))}</span>
        )}
        {endAt === null && <span class="stop-running">{words.running}</span>}
      </Duration>
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
    </>
  )
}

function ShortStopsCells({ row: { count, microstopMs, inRangeMs } }: { readonly row: ShortStopsRow }) {
  const { t, format } = useLocale()
  const words = t.downtime
  return (
    <>
      <td data-label={t.terms.start} class="when stop-short">
        {words.shortStops(format.count(count))}
      </td>
      <Duration ms={inRangeMs} />
      <td colSpan={3} class="stop-short">
        {words.shorterThan(format.limit(microstopMs))}
      </td>
    </>
  )
}

function Duration({ ms, children }: { readonly ms: number; readonly children?: ComponentChildren }) {
  const { t, format } = useLocale()
  return (
    <td data-label={t.terms.duration} class="figure-cell">
      {format.duration(ms)}
      {children}
    </td>
  )
}

function Reason({ stop }: { readonly stop: DowntimeRecordResponse }) {
  const { t } = useLocale()
  return (
    <>
      <ReasonMark color={stop.reasonColor} />
      {stop.reasonId === 'uncategorized' ? <span class="stop-none">{reasonText(stop, t)}</span> : reasonText(stop, t)}
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
