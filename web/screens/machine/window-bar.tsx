import type { Status } from '../../../schema/document.ts'
import { useLocale } from '../../texts/locale.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { moved, spanNames, spans, zoomed } from './time-window.ts'
import type { ShownWindow } from './use-window.ts'

interface WindowBarProps {
  readonly shown: ShownWindow
  readonly cursorMs: number | null
  readonly status: Status
}

/** The machine's status, and buttons that move the window. */
export function WindowBar({ shown, cursorMs, status }: WindowBarProps) {
  const { t } = useLocale()
  const words = t.machine
  const { window: range, isLive, nowMs, show, follow } = shown
  const lengthMs = range.toMs - range.fromMs
  const middleMs = (range.fromMs + range.toMs) / 2
  const span = spanNames.find(name => isLive && Math.abs(spans[name] - lengthMs) < 2000)
  return (
    <div class="report-bar machine-bar">
      <p class="machine-status">
        <StatusMark status={status} size={20} />
        <strong>{t.status[status]}</strong>
      </p>
      <div class="filters" role="group" aria-label={words.span}>
        {spanNames.map(name => (
          <button
            key={name}
            type="button"
            class="filter"
            aria-pressed={span === name}
            onClick={() => follow(spans[name])}
          >
            {words.spans[name]}
          </button>
        ))}
      </div>
      <div class="presets">
        <button type="button" class="button quiet" onClick={() => show(moved(range, -lengthMs / 2, nowMs))}>
          {words.earlier}
        </button>
        <button
          type="button"
          class="button quiet"
          disabled={isLive}
          onClick={() => show(moved(range, lengthMs / 2, nowMs))}
        >
          {words.later}
        </button>
        <button type="button" class="button quiet" onClick={() => show(zoomed(range, 0.5, cursorMs ?? middleMs))}>
          {words.zoomIn}
        </button>
        <button type="button" class="button quiet" onClick={() => show(zoomed(range, 2, middleMs))}>
          {words.zoomOut}
        </button>
        <button type="button" class="button quiet" aria-pressed={isLive} onClick={() => follow(lengthMs)}>
          {isLive ? words.live : words.toNow}
        </button>
      </div>
    </div>
  )
}
