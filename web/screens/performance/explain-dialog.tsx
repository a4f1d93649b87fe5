import type { MetricName } from '../../../schema/metrics.ts'
import type { ProductionExplanation } from '../../../schema/requests/production-explanation.ts'
import type { SumName } from '../../../schema/sums.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { amount } from '../../reports/amount.ts'
import { addressOf } from '../../router/address.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { metricText, sumText } from '../../texts/metrics.ts'
import type { ReportRange } from '../../time/period.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Await } from '../../ui/notice.tsx'
import type { View } from './view.ts'

interface ExplainProps {
  readonly metric: MetricName
  readonly view: View
  readonly range: ReportRange
  readonly onClose: () => void
}

/** Explains a number: what it says, by which formula, and which times and counts were put into it. */
export function ExplainDialog({ metric, view, range, onClose }: ExplainProps) {
  const { t, language } = useLocale()
  const { client } = useViewer()
  const loaded = useLoad(
    () =>
      client.call('POST /reports/production/explanation', {
        body: { ...range, data: [...new Set([metric, ...factorsOf(metric)])], filter: view.filter, flatten: true },
      }),
    [client, metric],
  )
  return (
    <Dialog title={metricText(metric, language).title} onClose={onClose}>
      <Await loaded={loaded}>{value => <Explanation metric={metric} view={view} explanation={value} />}</Await>
      <p class="hint">
        <a href={addressOf('docs/guides/metrics', { language })}>{t.performance.explanation.docs}</a>
      </p>
    </Dialog>
  )
}

interface ExplanationProps extends Pick<ExplainProps, 'metric' | 'view'> {
  readonly explanation: ProductionExplanation
}

function Explanation({ metric, view, explanation }: ExplanationProps) {
  const locale = useLocale()
  const { t, format, language } = locale
  const words = t.performance.explanation
  const found = explanation.metrics[metric]
  if (!found) return null
  const factors = factorsOf(metric)
  const names = found.sums
  const [machine, ...others] = view.filter.machine ?? []
  return (
    <div class="explanation">
      <p class="explained-value">
        <strong>{amount(found.value, found.unit, locale)}</strong>
        <span class="hint">{format.range(explanation.range.start, explanation.range.end)}</span>
      </p>
      <p>{metricText(metric, language).meaning}</p>
      {found.value === null && <p class="notice">{words.none}</p>}
      <h3>{words.formula}</h3>
      <p class="formula">
        <code>{withOperators(found.formula)}</code>
      </p>
      <h3>{words.values}</h3>
      {factors.length > 0 && (
        <p class="formula">
          <code>
            {factors.map(name => amount(explanation.metrics[name]?.value, 'ratio', locale)).join(' × ')} ={' '}
            {amount(found.value, found.unit, locale)}
          </code>
        </p>
      )}
      <p class="formula">
        <code>
          {withValues(found.formula, names, name => textOf(explanation, name, locale))} ={' '}
          {amount(found.value, found.unit, locale)}
        </code>
      </p>
      <h3>{words.parts}</h3>
      <dl class="sums">
        {names.map(name => (
          <div key={name}>
            <dt>
              {sumText(name, language)} <code>{name}</code>
            </dt>
            <dd>{textOf(explanation, name, locale)}</dd>
          </div>
        ))}
      </dl>
      <h3>{words.segments}</h3>
      {machine === undefined || others.length > 0 ? (
        <p class="hint">{words.segmentsText}</p>
      ) : (
        <Link
          to="app/machine"
          query={{ machine, from: explanation.range.start, to: explanation.range.end }}
          class="button"
        >
          {words.timeline}
        </Link>
      )}
    </div>
  )
}

function textOf({ sums }: ProductionExplanation, name: SumName, locale: Parameters<typeof amount>[2]): string {
  const sum = sums[name]
  return sum ? amount(sum.value, sum.unit, locale) : locale.t.none
}

function withOperators(formula: string): string {
  return formula.replaceAll(' x ', ' × ').replaceAll(' - ', ' − ')
}

function withValues(formula: string, names: readonly SumName[], textOfSum: (name: SumName) => string): string {
  return withOperators(formula).replaceAll(/[A-Za-z]+/g, word => {
    const name = names.find(each => each === word)
    return name === undefined ? word : textOfSum(name)
  })
}

/** Rates whose product a metric is; none: it is none of rates that are shown themselves. */
function factorsOf(metric: MetricName): readonly MetricName[] {
  return metric === 'oee' ? ['availability', 'performance', 'quality'] : []
}
