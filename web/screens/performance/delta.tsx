import type { MetricName } from '../../../schema/metrics.ts'
import { difference } from '../../reports/amount.ts'
import { useLocale } from '../../texts/locale.ts'
import { unitOf } from '../../texts/metrics.ts'
import { directionOf } from './view.ts'

interface DeltaProps {
  readonly metric: MetricName
  readonly value: number | null | undefined
  readonly before: number | null | undefined
}

/** How a value differs from the one before: by a sign, and where it is better or worse by colour and words. */
export function Delta({ metric, value, before }: DeltaProps) {
  const locale = useLocale()
  const { t } = locale
  const text = difference(value, before, unitOf(metric), locale)
  if (text === null) return <span class="delta">{t.none}</span>
  // A difference that is displayed as 0 counts as 0.
  const isNone = !/[1-9]/.test(text)
  const by = isNone ? 0 : directionOf(metric) * ((value ?? 0) - (before ?? 0))
  const level = by === 0 ? undefined : by > 0 ? 'good' : 'failure'
  const sign = isNone ? '' : (value ?? 0) > (before ?? 0) ? '▲ ' : '▼ '
  return (
    <span class="delta" data-level={level}>
      <span aria-hidden="true">{sign}</span>
      {text}
      {level && <span class="unseen"> {level === 'good' ? t.performance.better : t.performance.worse}</span>}
    </span>
  )
}
