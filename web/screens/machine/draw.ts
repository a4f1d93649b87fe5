import type { Colors } from '../../ui/use-colors.ts'
import { type LaneName, laneNames, type Lanes } from './lanes.ts'
import type { Mark } from './marks.ts'
import type { TimeWindow } from './time-window.ts'

const sizes = { axis: 24, gap: 6, tall: 30, low: 20 } as const

const heights: Readonly<Record<LaneName, number>> = {
  states: sizes.tall,
  downtime: sizes.tall,
  alarms: sizes.low,
  jobs: sizes.low,
  operators: sizes.low,
  shifts: sizes.low,
}

/** Top of each lane, and of the end of the last one. */
export function layOutLanes(): { readonly tops: Readonly<Record<LaneName, number>>; readonly height: number } {
  let top: number = sizes.axis
  const tops: Partial<Record<LaneName, number>> = {}
  for (const name of laneNames) {
    tops[name] = top
    top += heights[name] + sizes.gap
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for every lane
  return { tops: tops as Record<LaneName, number>, height: top }
}

export interface Picture {
  readonly window: TimeWindow
  readonly lanes: Lanes
  readonly colors: Colors
  readonly ticks: readonly { readonly atMs: number; readonly text: string }[]
  readonly nowMs: number
  readonly cursorMs: number | null
  readonly font: string
  /** Text of each lane without marks. */
  readonly empty: Readonly<Record<LaneName, string>>
}

/** Draws axis and lanes on a canvas of a width in CSS pixels; `scale`: how much larger than usual. */
export function draw(canvas: HTMLCanvasElement, widthPx: number, scale: number, picture: Picture): void {
  const { window: shown, lanes, colors, ticks, nowMs, cursorMs, font, empty } = picture
  const { tops, height } = layOutLanes()
  const ratio = devicePixelRatio * scale
  const width = widthPx / scale
  const context = canvas.getContext('2d')
  if (!context || width <= 0) return
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const xOf = (ms: number) => ((ms - shown.fromMs) / (shown.toMs - shown.fromMs)) * width
  context.font = font
  context.textBaseline = 'middle'
  context.lineWidth = 1
  for (const { atMs, text } of ticks) {
    const x = xOf(atMs)
    context.fillStyle = colors.line
    context.fillRect(Math.round(x), sizes.axis - 4, 1, height)
    context.fillStyle = colors.soft
    const textWidth = context.measureText(text).width
    const left = Math.min(Math.max(x - textWidth / 2, 0), width - textWidth)
    context.fillText(text, left, sizes.axis / 2 - 1)
  }
  for (const name of laneNames)
    drawLane(context, lanes[name], { top: tops[name], height: heights[name], xOf, width, colors, empty: empty[name] })
  const drawLine = (x: number, color: string) => {
    if (x < -1 || x > width + 1) return
    context.fillStyle = color
    context.fillRect(Math.min(Math.round(x), width - 2), sizes.axis - 6, 2, height)
  }
  drawLine(xOf(nowMs), colors.accent)
  if (cursorMs !== null) drawLine(xOf(cursorMs), colors.text)
}

interface LaneGeometry {
  readonly top: number
  readonly height: number
  readonly width: number
  readonly xOf: (ms: number) => number
  readonly colors: Colors
  readonly empty: string
}

function drawLane(context: CanvasRenderingContext2D, marks: readonly Mark[], geometry: LaneGeometry): void {
  const { top, height, width, xOf, colors, empty } = geometry
  context.fillStyle = colors.page
  context.fillRect(0, top, width, height)
  if (marks.length === 0) {
    context.fillStyle = colors.soft
    context.fillText(empty, 6, top + height / 2 + 1)
  }
  let stepStart = NaN
  let used = 0
  for (const mark of marks) {
    const left = Math.max(xOf(mark.startMs), 0)
    const right = Math.min(xOf(mark.endMs), width)
    if (right < 0 || left > width) continue
    if (mark.startMs !== stepStart) used = 0
    stepStart = mark.startMs
    const tall = height * mark.share
    const wide = Math.max(right - left, 1)
    context.fillStyle = mark.fill
    context.fillRect(left, top + height - used - tall, wide, tall)
    used += tall
    if (mark.share < 1) continue
    if (mark.isTinted) {
      context.strokeStyle = colors.edge
      context.strokeRect(left + 0.5, top + 0.5, Math.max(wide - 1, 0), height - 1)
    } else if (wide > 3) {
      // Neighbours of one colour stay apart.
      context.fillStyle = colors.card
      context.fillRect(left, top, 1, height)
    }
    if (!mark.isTinted || wide <= 30) continue
    context.fillStyle = colors.text
    context.fillText(fitted(context, mark.title, wide - 10), left + 6, top + height / 2 + 1)
  }
}

/** Cuts a text to a width, in px of the context; empty: not even its first letter fits. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  for (let length = text.length - 1; length > 0; length--) {
    const cut = `${text.slice(0, length).trimEnd()}…`
    if (context.measureText(cut).width <= width) return cut
  }
  return ''
}
