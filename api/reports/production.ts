import type { SumName } from '../../schema/sums.ts'
import { sums } from '../../schema/sums.ts'
import { metricColumns } from '../files/table.ts'
import { compileProduction } from './compile/production.ts'
import { createSnapshot } from './files/export-snapshot.ts'
import { storedTable } from './files/stored-table.ts'
import { rowsOf } from './fold/fold.ts'
import { keyNames } from './plan/plan.ts'
import { planProduction, type ProductionPlan } from './plan/production.ts'
import { groupMetrics } from './present/metric-values.ts'
import type { Report } from './report.ts'
import { parseProduction, type ProductionRequest } from './request/parse.ts'

interface Production {
  readonly request: ProductionRequest
  readonly plan: ProductionPlan
  readonly sum: SumName
  readonly value: number | null
}

/** `POST /reports/production`: metrics of time and parts. */
export const productionReport: Report<Production> = {
  name: 'production',
  parse: parseProduction,
  plan: planProduction,
  sources: { maxStaleMachines: 500, splitsHours: true },
  compile: compileProduction,
  rows: (plan, columns) => {
    const ofSums = plan.sums.map(name => [name, sums[name]] as const)
    return rowsOf(keyNames(plan), ofSums, columns)
  },
  values: ({ metrics }, folded) => groupMetrics(folded, metrics),
  columns: ({ metrics }) => metricColumns(metrics),
  storedFile: { createSnapshot, table: storedTable },
}
