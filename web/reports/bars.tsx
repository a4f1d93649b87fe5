import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useLocale } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
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
  readonly shownFirst?: number
  /** Key of the bar that is chosen; null: none. */
  readonly chosen?: string | null
  /** Title of the button of a name. */
  readonly pickTitle?: (name: string) => string
  /** Called with the key of a bar whose name is clicked. */
  readonly onPick?: (key: string) => void
}

/** Bars from the greatest to the least, each with its name and value: a chart that reads as a list. */
export function Bars({ label, bars, isPareto = false, shownFirst = 8, ...pick }: BarsProps) {
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
              <span class="bar-name">
                <BarName bar={bar} {...pick} />
              </span>
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

type BarNameProps = Pick<BarsProps, 'chosen' | 'pickTitle' | 'onPick'> & { readonly bar: Bar }

function BarName({ bar: { key, name }, chosen, pickTitle, onPick }: BarNameProps) {
  if (!onPick) return <>{name}</>
  const state = {
    ...(pickTitle && { title: pickTitle(name) }),
    ...(chosen !== undefined && { 'aria-pressed': key === chosen }),
  }
  return <Button look="link" text={name} {...state} onClick={() => onPick(key)} />
}

interface BarCardProps extends Omit<BarsProps, 'label'> {
  readonly title: string
  readonly children?: ComponentChildren
}

/** A card with a Pareto; the children are above the bars. */
export function BarCard({ title, children, ...bars }: BarCardProps) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
      <Bars label={title} isPareto {...bars} />
    </section>
  )
}
