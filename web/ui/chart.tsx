import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { letterScale } from './letter-scale.ts'

/** Options of a chart; its size is that of its place. */
export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>

interface ChartProps {
  /** Describes the chart to screen readers: values belong in a table or text beside it. */
  readonly label: string
  /** Values over x; null: there is none. */
  readonly data: uPlot.AlignedData
  /** Memoize: another object redraws the chart. Colors come from `useColors`. */
  readonly options: ChartOptions
  readonly heightPx: number
  /** Called with every chart that is made: after its options changed it is another. */
  readonly onPlot?: (plot: uPlot) => void
}

/** A uPlot chart as wide as its container. New data is set on it; new options recreate it. */
export function Chart({ label, data, options, heightPx, onPlot }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef(data)
  const hasNew = latest.current !== data
  latest.current = data
  useEffect(() => {
    const { current: element } = place
    if (element === null) return undefined
    const scale = letterScale()
    const size = () => ({ width: Math.max(element.clientWidth, 1), height: heightPx * scale })
    const made = new uPlot({ ...enlarged(options, scale, element), ...size() }, latest.current, element)
    plot.current = made
    onPlot?.(made)
    const watch = new ResizeObserver(() => {
      if (made.width !== size().width) made.setSize(size())
    })
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.current = null
      made.destroy()
    }
  }, [options, heightPx])
  useEffect(() => {
    if (hasNew) plot.current?.setData(data)
  }, [data])
  return <div class="chart" role="img" aria-label={label} ref={place} />
}

const axisLettersPx = 12

/** Options with axes of larger letters, on a very large screen. */
function enlarged(options: ChartOptions, scale: number, place: HTMLElement): ChartOptions {
  if (scale === 1 || !options.axes) return options
  const font = `${axisLettersPx * scale}px ${getComputedStyle(place).fontFamily}`
  const larger = (px: number | undefined) => (px === undefined ? undefined : px * scale)
  const axes = options.axes.map(axis => {
    const size = typeof axis.size === 'number' ? larger(axis.size) : axis.size
    const space = typeof axis.space === 'number' ? larger(axis.space) : axis.space
    return { ...axis, font, ...(size !== undefined && { size }), ...(space !== undefined && { space }) }
  })
  return { ...options, axes }
}
