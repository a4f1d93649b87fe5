import { callNamesOf, useViewer } from '../../data/viewer.ts'
import { memo } from '../../ui/memo.ts'
import { useLocale } from '../../texts/locale.ts'
import { Icon } from '../../ui/icon.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { ownerOf, titleOf } from '../now/incident-texts.ts'
import type { FloorMachine } from './floor-machine.ts'
import { levelOf } from './level.ts'
import { sinceMsOf, sinceParts } from './since.ts'
import { StateBar } from './state-bar.tsx'
import { whyUnavailable } from './unavailable.ts'
import type { StateBar as Steps } from './use-state-bars.ts'

interface TileProps {
  readonly floor: FloorMachine
  /** Shows status, since when, OEE and incident only. */
  readonly isCompact: boolean
  /** null: not loaded. */
  readonly bar: Steps | null
  /** Whether the metrics of today are loaded. */
  readonly hasFigures: boolean
  /** UTC ms by the service's clock. */
  readonly nowMs: number
}

/** The content of a machine's tile. */
export const Tile = memo(function Tile({ floor, isCompact, bar, hasFigures, nowMs }: TileProps) {
  const { t, format } = useLocale()
  const { machine, now, stop, figures, activity, isScheduled, incident } = floor
  const sinceMs = sinceMsOf(floor)
  const level = levelOf(figures?.oee, figures?.oeeWarningThreshold, figures?.oeeFailureThreshold)
  const note =
    now.message ?? stop?.reason ?? activity?.reason?.name ?? whyUnavailable(machine, now.status, nowMs, { t, format })
  return (
    <>
      <span class="tile-head">
        <StatusMark status={now.status} size={18} />
        <strong class="tile-name" title={machine.name}>
          {machine.name}
        </strong>
        <span class="tile-oee" data-level={level} title={`${t.floor.figures.oee}: ${t.floor.levels[level]}`}>
          <span class="tile-label">{t.floor.figures.oee}</span>{' '}
          {hasFigures ? format.percent(figures?.oee, 0) : <span class="placeholder" />}
        </span>
      </span>
      <span class="tile-status">
        <span>{t.status[now.status]}</span>
        {sinceMs !== null && <Since parts={sinceParts(sinceMs, nowMs, { t, format })} />}
        {incident && isCompact && <IncidentMark incident={incident} />}
      </span>
      {!isCompact && (
        <>
          <span class="tile-note" title={note}>
            {incident && <IncidentMark incident={incident} />}
            {note}
          </span>
          {hasFigures ? <Goal figures={figures} isScheduled={isScheduled} /> : <span class="placeholder tile-goal" />}
          <Work activity={activity} />
        </>
      )}
      <StateBar bar={bar} />
    </>
  )
})

/** The start and the duration, which is hidden if there is no room for it. */
function Since({ parts: [start, duration] }: { readonly parts: readonly string[] }) {
  return (
    <span class="tile-since">
      <span>{start}</span>
      {duration !== undefined && <span> · {duration}</span>}
    </span>
  )
}

/** The job and the operators. */
function Work({ activity }: Pick<FloorMachine, 'activity'>) {
  const { t } = useLocale()
  return (
    <span class="tile-foot">
      <span class="tile-job" title={activity?.job ?? ''}>
        {activity?.isSetup === true && <span class="chip">{t.reports.absent.setup}</span>}
        {activity === null ? <span class="placeholder" /> : (activity.job ?? t.floor.noJob)}
        {activity?.part != null && ` · ${activity.part}`}
      </span>
      <span class="tile-operator">{activity?.operators.join(', ')}</span>
    </span>
  )
}

/** An open incident and its owner. */
export function IncidentMark({ incident }: { readonly incident: NonNullable<FloorMachine['incident']> }) {
  const { t } = useLocale()
  const calls = callNamesOf(useViewer(), t)
  const title = titleOf(incident, { calls }, t)
  const owner = ownerOf(incident, t)
  return (
    <span class="tile-incident" data-severity={incident.severity} title={`${title} · ${owner}`}>
      <Icon name="alarms" size={14} />
      <span class="tile-incident-text">
        <span class="tile-incident-title">{title}</span>
        <span class="tile-incident-dot"> · </span>
        <span class="tile-incident-owner">{owner}</span>
      </span>
    </span>
  )
}

/** The parts of the day and their goal; instead of it, that the machine is not scheduled now. */
function Goal({ figures, isScheduled }: Pick<FloorMachine, 'figures' | 'isScheduled'>) {
  const { t, format } = useLocale()
  const goal = figures?.partsGoal ?? null
  const level = levelOf(goal, figures?.partsGoalWarningThreshold, figures?.partsGoalFailureThreshold)
  return (
    <span class="tile-goal" title={goal === null ? t.floor.noGoal : t.floor.levels[level]}>
      <span class="tile-parts">
        <span>
          <b>{format.count(figures?.goodParts)}</b> {t.reports.units.parts}
        </span>
        {isScheduled ? (
          <span>{goal !== null ? t.floor.goal(format.percent(goal, 0)) : figures && t.floor.noGoal}</span>
        ) : (
          <span class="chip">{t.floor.statuses.unscheduled}</span>
        )}
      </span>
      <svg class="goal-bar" data-level={level} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="whole" width="100" height="4" />
        <rect class="share" width={Math.round((goal ?? 0) * 100)} height="4" />
      </svg>
    </span>
  )
}
