import type { MetricSelection } from '../../data/production.ts'
import { useLocale } from '../../texts/locale.ts'
import { levelOf } from './level.ts'

const figures = ['oee', 'availability', 'performance', 'quality', 'goodParts', 'rejectedParts'] as const
const ratios: ReadonlySet<string> = new Set(['oee', 'availability', 'performance', 'quality'])

interface FiguresProps {
  readonly today: MetricSelection | null
  readonly isLoading: boolean
}

/** Metrics of today: placeholders while they are loading, and a dash for null. */
export function Figures({ today, isLoading }: FiguresProps) {
  const { t, format } = useLocale()
  const level = levelOf(today?.oee, today?.oeeWarningThreshold, today?.oeeFailureThreshold)
  return (
    <dl class="figures" aria-busy={isLoading}>
      {figures.map(name => (
        <div key={name} class="figure" data-level={name === 'oee' ? level : undefined} data-figure={name}>
          <dt>{t.floor.figures[name]}</dt>
          <dd class="value">
            {isLoading ? (
              <span class="placeholder" />
            ) : ratios.has(name) ? (
              format.percent(today?.[name])
            ) : (
              format.count(today?.[name])
            )}
          </dd>
          <dd class="hint" title={t.floor.hints[name]}>
            {name === 'oee' && level !== 'none' ? t.floor.levels[level] : t.floor.hints[name]}
          </dd>
        </div>
      ))}
    </dl>
  )
}
