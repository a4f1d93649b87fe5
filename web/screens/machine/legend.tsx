import { useLocale } from '../../texts/locale.ts'
import type { Lanes } from './lanes.ts'
import { legendOf } from './marks.ts'
import type { TimeWindow } from './time-window.ts'

interface LegendProps {
  readonly lanes: Lanes
  readonly window: TimeWindow
}

/** The colours of states and reasons with their total time in the window, and those of alarms. */
export function Legend({ lanes, window: shown }: LegendProps) {
  const { t, format } = useLocale()
  const words = t.machine
  return (
    <dl class="lane-legend">
      {(['states', 'downtime', 'alarms'] as const).map(name => {
        const entries = legendOf(lanes[name], shown)
        return entries.length === 0 ? null : (
          <div key={name}>
            <dt>{words.lanes[name]}</dt>
            {entries.map(({ kind, fill, totalMs }) => (
              <dd key={kind}>
                <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
                  <rect width="12" height="12" rx="3" fill={fill} />
                </svg>
                {kind} <span class="hint">{format.duration(totalMs)}</span>
              </dd>
            ))}
          </div>
        )
      })}
    </dl>
  )
}
