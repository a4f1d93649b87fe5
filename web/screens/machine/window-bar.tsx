import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { moved, spanNames, spans, zoomed } from './time-window.ts'
import type { ShownWindow } from './use-window.ts'

interface WindowBarProps {
  readonly shown: ShownWindow
  readonly cursorMs: number | null
}

/** Buttons that move the window. */
export function WindowBar({ shown, cursorMs }: WindowBarProps) {
  const { t } = useLocale()
  const words = t.machine
  const { window: range, isLive, nowMs, show, follow } = shown
  const lengthMs = range.toMs - range.fromMs
  const middleMs = (range.fromMs + range.toMs) / 2
  const span = spanNames.find(name => isLive && Math.abs(spans[name] - lengthMs) < 2000)
  return (
    <div class="report-bar machine-bar">
      <Toggles
        label={words.span}
        value={span}
        options={spanNames.map(value => ({ value, title: words.spans[value] }))}
        onValue={name => follow(spans[name])}
      />
      <div class="presets">
        <Button look="quiet" text={words.earlier} onClick={() => show(moved(range, -lengthMs / 2, nowMs))} />
        <Button
          look="quiet"
          text={words.later}
          disabled={isLive}
          onClick={() => show(moved(range, lengthMs / 2, nowMs))}
        />
        <Button look="quiet" text={words.zoomIn} onClick={() => show(zoomed(range, 0.5, cursorMs ?? middleMs))} />
        <Button look="quiet" text={words.zoomOut} onClick={() => show(zoomed(range, 2, middleMs))} />
        <Button
          look="quiet"
          text={isLive ? t.connection.live : words.toNow}
          aria-pressed={isLive}
          onClick={() => follow(lengthMs)}
        />
      </div>
    </div>
  )
}
