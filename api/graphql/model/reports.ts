import { eventMetrics } from '../../../schema/event-metrics.ts'
import {
  flatFieldName,
  type GroupingField,
  groupingFields,
  type GroupingName,
  reportDimensions,
  type ReportName,
} from '../../../schema/groupings.ts'
import { metrics } from '../../../schema/metrics.ts'

/** A field of a report's GraphQL type: its name, its type in the schema language, and its description. */
export type ReportField = readonly [name: string, type: string, description?: string]

/**
 * A report as a root field: its arguments correspond to the body of its REST route, its types to the response of that
 * route.
 */
export interface ReportRoot {
  readonly report: ReportName
  /** First part of the names of the report's types. */
  readonly title: string
  readonly description: string
  /** Metrics that `data` may contain; null: the report has no `data`. */
  readonly selectableMetrics: readonly string[] | null
  readonly groupings: readonly GroupingName[]
  readonly filters: readonly string[]
  readonly hasRejects: boolean
  readonly values: readonly ReportField[]
}

const ofEvents = (report: keyof typeof eventMetrics): readonly ReportField[] =>
  Object.entries(eventMetrics[report]).map(([name, { unit, meaning }]) => [
    name,
    unit === 'instant' ? 'timestamptz' : 'numeric',
    meaning,
  ])

function root(
  report: ReportName,
  title: string,
  more: Pick<ReportRoot, 'description' | 'selectableMetrics' | 'values'>,
): ReportRoot {
  const { groupings, filters } = reportDimensions[report]
  return { report, title, groupings, filters, hasRejects: report === 'alarm', ...more }
}

/** The reports by the name of their root field. */
export const reportRoots: Readonly<Record<string, ReportRoot>> = {
  productionReport: root('production', 'Production', {
    description: 'Parts, times and rates; equal to POST /reports/production',
    selectableMetrics: Object.keys(metrics),
    values: Object.entries(metrics).map(([name, { meaning }]) => [name, 'numeric', meaning]),
  }),
  downtimeReport: root('downtime', 'Downtime', {
    description: 'Duration and reasons of downtime; equal to POST /reports/downtime',
    selectableMetrics: null,
    values: ofEvents('downtime'),
  }),
  qualityReport: root('quality', 'Quality', {
    description: 'Rejected parts and their reasons; equal to POST /reports/quality',
    selectableMetrics: null,
    values: ofEvents('quality'),
  }),
  alarmReport: root('alarm', 'Alarm', {
    description: 'Duration and number of alarms; equal to POST /reports/alarm',
    selectableMetrics: Object.keys(eventMetrics.alarm),
    values: ofEvents('alarm'),
  }),
  incidentReport: root('incident', 'Incident', {
    description: 'Times to acknowledge and to resolve incidents; equal to POST /reports/incident',
    selectableMetrics: null,
    values: ofEvents('incident'),
  }),
}

const kinds = { text: 'String', flag: 'Boolean', instant: 'timestamptz' } as const

/** Fields of a flat row of a report: one for each grouping, then the values. */
export function rowFields({ groupings, values }: ReportRoot): readonly ReportField[] {
  const named = groupings.flatMap((group): readonly ReportField[] => [
    [group, 'String', 'Name of the group; for a time grouping, its shop date or its start'],
    [`${group}Id`, 'String'],
    ...groupingFields[group].map(({ name, kind }): ReportField => [flatFieldName(group, name), kinds[kind]]),
  ])
  return [...named, ...values]
}

/** Fields of the entity of an item, for all groupings. */
export function entityFields(): readonly ReportField[] {
  const fields = new Map<string, GroupingField>(
    Object.values(groupingFields).flatMap(each => each.map(field => [field.name, field] as const)),
  )
  return [
    ['type', 'String!', 'Name of the grouping'],
    ['id', 'String!'],
    ['name', 'String', 'null for a time grouping'],
    ['virtual', 'Boolean', 'true: the group of data that has no value for this grouping'],
    ...[...fields.values()].map(({ name, kind }): ReportField => [name, kinds[kind]]),
  ]
}
