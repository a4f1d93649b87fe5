import type { MetricName } from '../metrics.ts'
import { sums, type SumName } from '../sums.ts'
import * as t from '../types.ts'
import { reportRange, reportWarnings } from './report.ts'

const unit = t.named('Unit', t.oneOf(['ms', 'parts', 'ratio', 'parts/h', 'ms/part', 'instant']))

const sumName = t.named('SumName', t.oneOf(namesOf(sums)))

const explainedMetric = t.named(
  'ExplainedMetric',
  t.object({
    title: t.text,
    unit,
    meaning: t.text,
    formula: t.described(t.text, 'Formula with the names of `sums`; `x` is a product, `/` a quotient'),
    sums: t.described(t.list(sumName), 'Names in the formula, in its order'),
    value: t.described(t.nullable(t.number), 'Value in the report'),
  }),
)

const explainedSum = t.named('ExplainedSum', t.object({ unit, meaning: t.text, value: t.nullable(t.number) }))

/** Response of `POST /reports/production/explanation`. */
export const productionExplanation = t.named(
  'ProductionExplanation',
  t.object(
    {
      range: reportRange,
      metrics: t.unsafe<Partial<Record<MetricName, t.Infer<typeof explainedMetric>>>>(t.recordOf(explainedMetric)),
      sums: t.unsafe<Partial<Record<SumName, t.Infer<typeof explainedSum>>>>(t.recordOf(explainedSum)),
      warnings: reportWarnings,
    },
    ['warnings'],
  ),
)
export type ProductionExplanation = t.Infer<typeof productionExplanation>

function namesOf(names: Readonly<Record<SumName, unknown>>): readonly SumName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are exactly the names of the sums
  return Object.keys(names) as SumName[]
}
