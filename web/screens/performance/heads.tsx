import type { MetricName } from '../../../schema/metrics.ts'
import { amount, titledAmount } from '../../reports/amount.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricText, unitOf } from '../../texts/metrics.ts'
import { Icon } from '../../ui/icon.tsx'
import { Delta } from './delta.tsx'
import { headFigures, type Overview } from './performance-data.ts'
import { levelOf } from '../floor/level.ts'
import type { View } from './view.ts'

interface HeadsProps {
  readonly data: Overview
  readonly view: View
  readonly onMetric: (metric: MetricName) => void
  readonly onExplain: (metric: MetricName) => void
}

/** The figures of the whole view with how they changed; each opens its chart or its explanation. */
export function Heads({ data, view, onMetric, onExplain }: HeadsProps) {
  const locale = useLocale()
  const { t, format, language } = locale
  const { aggregate } = data.trend
  const { aggregate: before, isComparable, isLess } = beforeOf(data)
  const { start, end } = data.trendBefore.range
  const level = levelOf(aggregate.oee, aggregate.oeeWarningThreshold, aggregate.oeeFailureThreshold)
  return (
    <div class="stack">
      <ul class="heads">
        {headFigures.map(name => {
          const { title } = metricText(name, language)
          return (
            <li key={name} class="head" data-figure={name} data-level={name === 'oee' ? level : undefined}>
              <button
                type="button"
                class="head-main"
                aria-pressed={view.metric === name}
                onClick={() => onMetric(name)}
              >
                <span class="head-title">{title}</span>
                <span class="value">{titledAmount(aggregate[name], unitOf(name), locale)}</span>
                <Delta metric={name} value={aggregate[name]} before={isComparable ? before[name] : null} />
                {isComparable && (
                  <span class="hint">{t.performance.earlier(amount(before[name], unitOf(name), locale))}</span>
                )}
              </button>
              <button
                type="button"
                class="button icon-only head-explain"
                aria-label={t.performance.explainOf(title)}
                onClick={() => onExplain(name)}
              >
                <Icon name="info" size={16} />
              </button>
            </li>
          )
        })}
      </ul>
      <p class="hint">
        {isComparable ? t.performance.beforeOf(format.range(start, end)) : t.performance.nothingBefore}
        {isComparable &&
          isLess &&
          `. ${t.performance.less(amount(before.allTime ?? 0, 'ms', locale), amount(aggregate.allTime, 'ms', locale))}`}
      </p>
    </div>
  )
}

/** Figures of the range before, and whether it has time to be compared with, or clearly less of it. */
function beforeOf({ trend, trendBefore }: Overview) {
  const { aggregate } = trendBefore
  const [allMs, nowMs] = [aggregate.allTime ?? 0, trend.aggregate.allTime ?? 0]
  return { aggregate, isComparable: allMs > 0, isLess: allMs < nowMs * 0.95 }
}
