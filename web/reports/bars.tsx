import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { More } from './more.tsx'

/** A bar of a list. */
export interface Bar {
  readonly key: string
  readonly name: string
  readonly value: number
  /** The value with its unit. */
  readonly text: string
  readonly color?: string | undefined
  /** More about it, in a line of its own. */
  readonly note?: string
}

interface BarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  /** Shows the share of each, and of it and those above it together: a Pareto. */
  readonly isPareto?: boolean
  readonly nameOf?: (bar: Bar) => ComponentChildren
  readonly shownFirst?: number
}

/** Bars from the greatest to the least, each with its name and value: a chart that reads as a list. */
export function Bars({ label, bars, isPareto = false, nameOf, shownFirst = 8 }: BarsProps) {
  const { t, format } = useLocale()
  const [isWhole, setWhole] = useState(false)
  const sorted = bars.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value)
  const greatest = sorted[0]?.value ?? 0
  const total = sorted.reduce((sum, { value }) => sum + value, 0)
  const shown = isWhole ? sorted : sorted.slice(0, shownFirst)
  let together = 0
  return (
    <>
      <ol class="bars" aria-label={label}>
        {shown.map(bar => {
          together += bar.value
          return (
            <li key={bar.key} class="bar-row">
              <span class="bar-name">{nameOf?.(bar) ?? bar.name}</span>
              <span class="bar-value">{bar.text}</span>
              <span class="bar-track" aria-hidden="true">
                <span
                  class="bar-body"
                  style={{ width: `${(100 * bar.value) / greatest}%`, ...(bar.color && { background: bar.color }) }}
                />
              </span>
              {isPareto && (
                <span class="bar-shares">
                  {format.percent(bar.value / total, 0)} {t.reports.share}
                  <span class="bar-together">
                    {t.reports.cumulative} {format.percent(together / total, 0)}
                  </span>
                </span>
              )}
              {bar.note !== undefined && <span class="bar-shares">{bar.note}</span>}
            </li>
          )
        })}
      </ol>
      <More left={sorted.length - shown.length} onMore={() => setWhole(true)} />
    </>
  )
}
