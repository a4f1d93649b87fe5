import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MachineTimeline } from '../../../schema/requests/machine-timeline.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { inLetters, letterScale } from '../../ui/letter-scale.ts'
import { useColors } from '../../ui/use-colors.ts'
import { aheadIn, wallTime } from '../../time/wall-time.ts'
import { draw, layOutLanes } from './draw.ts'
import { Legend } from './legend.tsx'
import { laneNames, type LaneName, lanesOf } from './lanes.ts'
import { marksAt } from './marks.ts'
import { moved, ticksOf, type TimeWindow, zoomed } from './time-window.ts'

interface TimelineProps {
  readonly timeline: MachineTimeline
  readonly window: TimeWindow
  readonly nowMs: number
  readonly cursorMs: number | null
  readonly onCursor: (atMs: number | null) => void
  readonly onWindow: (window: TimeWindow) => void
  readonly onNow: () => void
  readonly onWidth: (px: number) => void
}

/** The lanes of a machine over one axis of time, to be moved and zoomed with pointer and keys. */
export function Timeline(props: TimelineProps) {
  const { timeline, window: shown, nowMs, cursorMs, onCursor, onWindow, onNow, onWidth } = props
  const { t, format, region } = useLocale()
  const { company } = useViewer()
  const colors = useColors()
  const words = t.machine
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const dragged = useRef<{ readonly x: number; readonly window: TimeWindow } | null>(null)
  const lanes = useMemo(() => lanesOf(timeline, t, colors, nowMs), [timeline, t, colors, nowMs])
  const tickText = useMemo(() => tickTexts(region, company.timeZone), [region, company.timeZone])
  useEffect(() => {
    const { current: element } = canvas
    if (element === null) return undefined
    const measure = () => {
      setWidth(element.clientWidth)
      onWidth(element.clientWidth)
    }
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    measure()
    return () => watch.disconnect()
  }, [])
  useEffect(() => {
    const { current: element } = canvas
    if (element === null) return
    const { stepMs, ticks } = ticksOf(
      shown,
      Math.max(2, Math.floor(width / 90 / letterScale())),
      aheadIn(company.timeZone),
    )
    draw(element, width, letterScale(), {
      window: shown,
      lanes,
      colors,
      ticks: ticks.map(atMs => ({ atMs, text: tickText(atMs, stepMs) })),
      nowMs,
      cursorMs,
      font: `600 12px ${getComputedStyle(element).fontFamily}`,
      empty: words.empty,
    })
  }, [shown, lanes, colors, nowMs, cursorMs, width, tickText])
  const timeAt = (x: number) => shown.fromMs + (x / Math.max(width, 1)) * (shown.toMs - shown.fromMs)
  const lengthMs = shown.toMs - shown.fromMs
  const middleMs =
    cursorMs !== null && cursorMs > shown.fromMs && cursorMs < shown.toMs ? cursorMs : (shown.fromMs + shown.toMs) / 2
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const way = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (way !== 0 && event.shiftKey) onWindow(moved(shown, (way * lengthMs) / 4, nowMs))
    else if (way !== 0) onCursor(Math.min(Math.max(middleMs + (way * lengthMs) / 100, shown.fromMs), shown.toMs - 1))
    else if (event.key === '+' || event.key === '=') onWindow(zoomed(shown, 0.5, middleMs))
    else if (event.key === '-') onWindow(zoomed(shown, 2, middleMs))
    else if (event.key === 'End') onNow()
    else return
    event.preventDefault()
  }
  return (
    <div class="lanes">
      <div class="lane-names" aria-hidden="true">
        {laneNames.map(name => (
          <span key={name} data-lane={name}>
            {words.lanes[name]}
          </span>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys and pointer move the picture; its words stand below */}
      <div class="lane-place" style={{ height: inLetters(layOutLanes().height) }}>
        <canvas
          ref={canvas}
          class="lane-canvas"
          tabIndex={0}
          role="application"
          aria-label={`${t.terms.timeline}: ${format.range(shown.fromMs, shown.toMs)}. ${words.keys}`}
          onKeyDown={onKey}
          onDblClick={event => onWindow(zoomed(shown, 0.4, timeAt(event.offsetX)))}
          onPointerDown={event => {
            event.currentTarget.setPointerCapture(event.pointerId)
            dragged.current = { x: event.offsetX, window: shown }
          }}
          onPointerMove={event => {
            const drag = dragged.current
            if (drag === null) return onCursor(timeAt(event.offsetX))
            const byMs = ((drag.x - event.offsetX) / Math.max(width, 1)) * lengthMs
            if (Math.abs(drag.x - event.offsetX) > 3) onWindow(moved(drag.window, byMs, nowMs))
          }}
          onPointerUp={() => (dragged.current = null)}
          onPointerCancel={() => (dragged.current = null)}
          onWheel={event => {
            if (!event.ctrlKey) return
            event.preventDefault()
            onWindow(zoomed(shown, event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX)))
          }}
        />
      </div>
      <Legend lanes={lanes} window={shown} />
      <Reading lanes={lanes} atMs={cursorMs ?? Math.min(shown.toMs, nowMs) - 1} isCursor={cursorMs !== null} />
    </div>
  )
}

interface ReadingProps {
  readonly lanes: ReturnType<typeof lanesOf>
  readonly atMs: number
  readonly isCursor: boolean
}

/** Describes the lanes at an instant in words. */
function Reading({ lanes, atMs, isCursor }: ReadingProps) {
  const { t, format } = useLocale()
  const words = t.machine
  const describe = (name: LaneName) => {
    const marks = marksAt(lanes[name], atMs)
    const [first] = marks
    if (!first) return t.none
    if (first.share < 1)
      return marks
        .slice(0, 3)
        .map(({ title, share }) => `${title} ${format.percent(share, 0)}`)
        .join(', ')
    const titles = [...new Set(marks.map(({ title }) => title))].slice(0, 3).join(', ')
    return name === 'states' || name === 'downtime'
      ? `${titles} · ${format.duration(first.endMs - first.startMs)}`
      : titles
  }
  return (
    <dl class="lane-reading" aria-live={isCursor ? 'polite' : 'off'}>
      <div class="lane-moment">
        <dt class="unseen">{t.terms.timeline}</dt>
        <dd>{format.second(atMs)}</dd>
      </div>
      {laneNames.map(name => (
        <div key={name} data-lane={name}>
          <dt>{words.lanes[name]}</dt>
          <dd>{describe(name)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Writes moments of an axis: the time, or the date where a day begins or the step is long. */
export function tickTexts(region: string, timeZone: string): (atMs: number, stepMs: number) => string {
  const times = new Intl.DateTimeFormat(region, { timeZone, hour: '2-digit', minute: '2-digit' })
  const seconds = new Intl.DateTimeFormat(region, { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const dates = new Intl.DateTimeFormat(region, { timeZone, day: 'numeric', month: 'short' })
  return (atMs, stepMs) => {
    if (stepMs < 60_000) return seconds.format(atMs)
    const isMidnight = wallTime(atMs, timeZone).endsWith('T00:00')
    return stepMs >= 86_400_000 || isMidnight ? dates.format(atMs) : times.format(atMs)
  }
}
