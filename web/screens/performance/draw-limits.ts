import type uPlot from 'uplot'
import { letterScale } from '../../ui/letter-scale.ts'

/** A line of a threshold: its series in the chart, and its name. */
interface Limit {
  readonly series: number
  readonly name: string
  readonly color: string
}

const lettersPx = 12

/** Writes the names and last values of thresholds at the right end of their lines: the first above its line, the others below. */
export function drawLimits(
  plot: uPlot,
  limits: readonly Limit[],
  { background, textOf }: { readonly background: string; readonly textOf: (value: number) => string },
): void {
  const { ctx, bbox, data } = plot
  const scale = devicePixelRatio * letterScale()
  ctx.save()
  ctx.font = `600 ${lettersPx * scale}px system-ui, sans-serif`
  ctx.textAlign = 'right'
  ctx.lineWidth = 4 * scale
  ctx.lineJoin = 'round'
  ctx.strokeStyle = background
  for (const [i, { series, name, color }] of limits.entries()) {
    const value = [...(data[series] ?? [])].findLast(each => typeof each === 'number') ?? null
    if (value === null) continue
    const text = `${name} ${textOf(value)}`
    const isAbove = i === 0
    const x = bbox.left + bbox.width - 4 * scale
    const y = plot.valToPos(value, 'y', true) + (isAbove ? -3 : 5) * scale
    ctx.textBaseline = isAbove ? 'bottom' : 'top'
    ctx.fillStyle = color
    ctx.strokeText(text, x, y)
    ctx.fillText(text, x, y)
  }
  ctx.restore()
}
