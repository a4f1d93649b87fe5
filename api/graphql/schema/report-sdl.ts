import { alarmStates } from '../../../schema/groupings.ts'
import { entityFields, type ReportField, type ReportRoot, reportRoots, rowFields } from '../model/reports.ts'
import { block, descriptionText } from './blocks.ts'

/** Pure: the definitions of the types of all reports, in the schema language. */
export function reportTypes(): readonly string[] {
  return [
    block('enum AlarmState', alarmStates),
    block('"The time range of a report"\ntype ReportRange', ['start: timestamptz!', 'end: timestamptz!']),
    block('"The entity of an item of a report"\ntype ReportEntity', entityFields().map(fieldText)),
    ...Object.entries(reportRoots).flatMap(([field, root]) => typesOf(field, root)),
  ]
}

/** Pure: the root fields of all reports, in the schema language. */
export function reportFields(): readonly string[] {
  return Object.entries(reportRoots).map(
    ([field, { title, description }]) =>
      `${descriptionText(description)}${field}(args: ${field}_args!): ${title}Report!`,
  )
}

function typesOf(field: string, root: ReportRoot): readonly string[] {
  const { title, selectableMetrics, groupings, filters, hasRejects, values } = root
  const conditions = `${title}Conditions`
  const data = selectableMetrics
    ? [block(`enum ${title}Metric`, selectableMetrics), block(`input ${title}MetricInput`, [`metric: ${title}Metric!`])]
    : []
  return [
    ...data,
    block(`enum ${title}Grouping`, groupings),
    block(`input ${title}GroupingInput`, [`group: ${title}Grouping!`]),
    block(
      `input ${conditions}`,
      filters.map(name => `${name}: [${name === 'state' ? 'AlarmState' : 'String'}!]`),
    ),
    block(`"Requires either start and end, or startDay and endDay"\ninput ${field}_args`, [
      'start: timestamptz',
      'end: timestamptz',
      '"Shop date YYYY-MM-DD"\nstartDay: String',
      '"Shop date YYYY-MM-DD, inclusive"\nendDay: String',
      ...(selectableMetrics ? [`data: [${title}MetricInput!]!`] : []),
      `"Outermost first"\ngroupBy: [${title}GroupingInput!]`,
      `filter: ${conditions}`,
      ...(hasRejects
        ? [`"Excludes alarms with one of the values; takes precedence over filter"\nreject: ${conditions}`]
        : []),
      '"The response has rows instead of items"\nflatten: Boolean',
    ]),
    block(`type ${title}Report`, [
      'range: ReportRange!',
      `aggregate: ${title}Values!`,
      `"Groups; empty with flatten"\nitems: [${title}Item!]!`,
      `"The innermost groups as flat rows; empty without flatten"\nrows: [${title}Row!]!`,
    ]),
    block(`type ${title}Item`, [
      'entity: ReportEntity!',
      `aggregate: ${title}Values!`,
      `"Groups of the next level"\nitems: [${title}Item!]!`,
    ]),
    block(`type ${title}Values`, values.map(fieldText)),
    block(`type ${title}Row`, rowFields(root).map(fieldText)),
  ]
}

function fieldText([name, type, description = '']: ReportField): string {
  return `${descriptionText(description)}${name}: ${type}`
}
