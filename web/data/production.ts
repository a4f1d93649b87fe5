import type { MetricName } from '../../schema/metrics.ts'
import type { GroupingName } from '../../schema/groupings.ts'

/** A production report as the application asks for it: flat rows. */
export interface ProductionRequest {
  readonly startDay: string
  readonly endDay: string
  readonly data: readonly MetricName[]
  readonly groupBy?: readonly GroupingName[]
  readonly flatten: true
}

/** Values of the metrics that were asked for; null: there is none. */
export type MetricValues = Readonly<Partial<Record<MetricName, number | null>>>

/** Its answer. A row has `<group>` and `<group>Id` beside the metrics. */
export interface FlatProduction {
  readonly range: { readonly start: string; readonly end: string }
  readonly aggregate: MetricValues
  readonly items: readonly (MetricValues & { readonly machineId?: string | null })[]
}
