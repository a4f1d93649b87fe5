import { useLocale } from '../../texts/locale.ts'
import { memo } from '../../ui/memo.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { FloorMachine } from '../floor/floor-machine.ts'
import { levelOf } from '../floor/level.ts'
import { IncidentMark } from '../floor/tile.tsx'
import { reasonOf } from '../connect/reason-of.ts'
import type { WallKind } from './pages.ts'
import { shiftParts } from './shift-parts.ts'

interface WallTileProps {
  readonly floor: FloorMachine
  readonly kind: WallKind
  /** Whether the metrics of the shift are loaded. */
  readonly hasFigures: boolean
  /** UTC ms, new every few seconds. */
  readonly nowMs: number
}

/** A machine on the wall, filled with the colour of its state. */
export const WallTile = memo(function WallTile({ floor, kind, hasFigures, nowMs }: WallTileProps) {
  const { t, format } = useLocale()
  const { machine, now, activity, stop, figures, incident } = floor
  const sinceMs = stop?.sinceMs ?? now.sinceMs
  const reason = stop?.reason ?? activity?.reason?.name
  const why = now.message ?? reason ?? reasonOf(machine, now.status, t)
  // Without a message, an incident gets the line of the job too.
  const note = why || (incident ? '' : (activity?.job ?? ''))
  return (
    <div role="listitem" class="tile wall-tile" data-status={now.status} data-kind={kind}>
      <span class="wall-tile-head">
        <StatusMark status={now.status} size={18} />
        <strong class="tile-name">{machine.name}</strong>
      </span>
      <span class="wall-tile-line">
        <b>{now.status === 'UNAVAILABLE' ? t.wall.kinds.silent : t.status[now.status]}</b>
        {sinceMs !== null && <span>{format.minutes(nowMs - sinceMs)}</span>}
      </span>
      <span class="wall-tile-note" data-incident={incident !== null && note === ''}>
        {incident && <IncidentMark incident={incident} />}
        {note}
      </span>
      <span class="wall-tile-line wall-tile-first">
        <span>{t.wall.lost}</span>
        {hasFigures ? <b>{format.minutes(figures?.downtime)}</b> : <Placeholder />}
      </span>
      <span class="wall-tile-line">
        <span>{t.wall.parts}</span>
        {hasFigures ? <Parts figures={figures} /> : <Placeholder />}
      </span>
    </div>
  )
})

/** The parts of the shift and those expected. */
function Parts({ figures }: Pick<FloorMachine, 'figures'>) {
  const { format } = useLocale()
  const { made, expected } = shiftParts(figures)
  const goal = expected === null ? null : figures?.partsGoal
  const level = levelOf(goal, figures?.partsGoalWarningThreshold, figures?.partsGoalFailureThreshold)
  return (
    <span>
      <b class="wall-tile-parts" data-level={level}>
        {format.count(made)}
      </b>
      {expected !== null && ` / ${format.count(expected)}`}
    </span>
  )
}

function Placeholder() {
  return <span class="placeholder" />
}
