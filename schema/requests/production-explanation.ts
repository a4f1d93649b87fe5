import type { MetricName } from '../metrics.ts'
import { sums, type SumName } from '../sums.ts'
import {
  described,
  list,
  named,
  nullable,
  number,
  object,
  type Infer,
  oneOf,
  recordOf,
  text,
  unsafe,
} from '../types.ts'
import { reportRange, reportWarnings } from './report.ts'

const unit = named('Unit', oneOf(['ms', 'parts', 'ratio', 'parts/h', 'ms/part', 'instant']))

const sumName = named('SumName', oneOf(namesOf(sums)))

const explainedMetric = named(
  'ExplainedMetric',
  object({
    title: text,
    unit,
    meaning: text,
    formula: described(text, 'Formula with the names of `sums`; `x` is a product, `/` a quotient'),
    sums: described(list(sumName), 'Names in the formula, in its order'),
    value: described(nullable(number), 'Value in the report'),
  }),
)

const explainedSum = named('ExplainedSum', object({ unit, meaning: text, value: nullable(number) }))

/** Response of `POST /reports/production/explanation`. */
export const productionExplanation = named(
  'ProductionExplanation',
  object(
    {
      range: reportRange,
      metrics: unsafe<Partial<Record<MetricName, Infer<typeof explainedMetric>>>>(recordOf(explainedMetric)),
      sums: unsafe<Partial<Record<SumName, Infer<typeof explainedSum>>>>(recordOf(explainedSum)),
      warnings: reportWarnings,
    },
    ['warnings'],
  ),
)
export type ProductionExplanation = Infer<typeof productionExplanation>

function namesOf(names: Readonly<Record<SumName, unknown>>): readonly SumName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are exactly the names of the sums
  return Object.keys(names) as SumName[]
}
