import type { FilterName, GroupingName } from '../../schema/groupings.ts'
import type { MetricName } from '../../schema/metrics.ts'
import type { FileFormat } from '../../schema/requests/report.ts'
import type { Texts } from '../texts/en.ts'
import type { ReportRange } from '../time/period.ts'

/** Conditions of a report: ids by dimension. */
export type Filter = { readonly [Name in FilterName]?: readonly string[] }

/** Conditions for the dimensions that have ids. */
export function filterBy(ids: Filter): Filter {
  return Object.fromEntries(Object.entries(ids).filter(([, each]) => each.length > 0))
}

/** Ids in a value of an address, separated by commas. */
export function idsIn(query: URLSearchParams, name: string): readonly string[] {
  return query.get(name)?.split(',').filter(Boolean) ?? []
}

/** Members that all requests of reports share: the application requests flat rows. */
export type FlatRequest = ReportRange & {
  readonly groupBy?: readonly GroupingName[]
  readonly filter?: Filter
  readonly flatten: true
  readonly csv?: true
  readonly format?: FileFormat
}

/** A production report as the application asks for it. */
export type ProductionBody = FlatRequest & { readonly data: readonly MetricName[] }

/** Request for the cycle times of a job operation. */
export type CycleTimesBody = ReportRange & { readonly jobOperation: string; readonly filter: Filter }

/** Values of the requested metrics; null: no value. */
export type MetricSelection = Readonly<Partial<Record<MetricName, number | null>>>

/** Fields of a row that name what it is of: `<group>`, `<group>Id`, `<group><Field>`; `idIn` and its like read them. */
export interface FlatNames {
  readonly machineId?: string | null
}

/** An answer of flat rows. */
export interface FlatReport<Values> {
  readonly range: { readonly start: string; readonly end: string }
  readonly aggregate: Values
  readonly items: readonly (Values & FlatNames)[]
  readonly csv?: { readonly url: string; readonly expires: string }
}

export type FlatProduction = FlatReport<MetricSelection>

/** Name of what a row is of, in its grouping. */
export function nameIn(row: FlatNames, group: GroupingName): string {
  return textOf(row, group)
}

/** Name of what a row is of, or the text for a row without it, such as "No job". */
export function shownName(row: FlatNames, group: GroupingName, { reports }: Texts): string {
  const id = idIn(row, group)
  const absent: Readonly<Record<string, string>> = reports.absent
  const key = id === '' || id === 'none' ? group : group === 'reason' ? id : ''
  return absent[key] ?? nameIn(row, group)
}

/** Id of what a row is of, in its grouping. */
export function idIn(row: FlatNames, group: GroupingName): string {
  return textOf(row, `${group}Id`)
}

/** A field of a row as a string; '' if it is missing. */
export function textOf(row: FlatNames, field: string): string {
  const value: unknown = Reflect.get(row, field)
  return typeof value === 'string' ? value : ''
}
