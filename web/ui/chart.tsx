import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

/** Options of a chart; its size is that of its place. */
export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>

interface ChartProps {
  /** Says what the chart shows, for readers who do not see it: values belong into a table or text beside it. */
  readonly label: string
  /** Values over x; null: there is none. */
  readonly data: uPlot.AlignedData
  /** Memoised: another object draws the chart anew. Colours come from `useColors`. */
  readonly options: ChartOptions
  readonly heightPx: number
  /** Called with every chart that is made: after its options changed it is another. */
  readonly onPlot?: (plot: uPlot) => void
}

/** A uPlot chart as wide as its place. New data are put into it; it is made anew only for other options. */
export function Chart({ label, data, options, heightPx, onPlot }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useRef(data)
  const hasNew = latest.current !== data
  latest.current = data
  useEffect(() => {
    const { current: element } = place
    if (element === null) return undefined
    const size = () => ({ width: Math.max(element.clientWidth, 1), height: heightPx })
    const made = new uPlot({ ...options, ...size() }, latest.current, element)
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
