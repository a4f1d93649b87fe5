import { alarmStates, reportDimensions, type ReportName } from '../groupings.ts'
import * as t from '../types.ts'
import { warnings } from './warning.ts'

export const fileFormats = ['csv', 'parquet', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Format of the file to which a report is exported. */
export const fileFormat = t.named(
  'FileFormat',
  t.oneOf(fileFormats, {
    default: 'csv',
    description: 'Format of the file; `parquet` and `xlsx` export a file even without `csv`',
  }),
)

/** Schema of a name in an object or on its own: `{metric: "oee"}` or `"oee"`. */
function shorthand(title: string, field: string, names: readonly string[]) {
  const name = t.named(`${title}Name`, t.oneOf(names))
  return t.unsafe<unknown>({ anyOf: [t.named(title, t.object({ [field]: name })), name] })
}

/**
 * Body of a report's request. Used only in the OpenAPI document: reports parse their bodies and list every field error.
 * `metrics`: names for `data`; `conditions`: schema of the filter; `more`: properties that only this report has.
 */
export function reportInput(
  report: ReportName,
  options: { readonly metrics?: readonly string[]; readonly conditions?: t.Schema; readonly more?: t.Properties },
  example: t.JsonSchema,
): t.Schema {
  const { metrics, conditions = filtersOf(report), more = {} } = options
  const title = titleOf(report)
  const data = metrics && t.list(shorthand(`${title}Metric`, 'metric', metrics), { minItems: 1, maxItems: maxNames })
  const properties = t.partial({
    ...t.nullableProperties({
      start: t.looseInstant,
      end: t.looseInstant,
      startDay: t.localDate,
      endDay: t.localDate,
      groupBy: t.list(shorthand(`${title}Grouping`, 'group', reportDimensions[report].groupings), {
        maxItems: maxNames,
      }),
      filter: conditions,
      ...more,
      csv: t.described(t.bool, 'Also export the report to a file; the response contains `csv`'),
      format: fileFormat,
      flatten: t.described(t.bool, 'Returns items as flat rows; one row if there are no groups'),
    }),
    ...(data && { data }),
  })
  return t.named(
    `${title}ReportInput`,
    t.unsafe<unknown>({ ...t.jsonOf(properties), ...(data && { required: ['data'] }), examples: [example] }),
    'Accepts either `start` and `end`, or `startDay` and `endDay`',
  )
}

export const alarmState = t.named('AlarmState', t.oneOf(alarmStates))

/** Maximum length of an array of names in a report's request. */
export const maxNames = 1_000

/** Schema of a report's filters; other properties are invalid. */
export function filtersOf(report: ReportName): t.Schema {
  const values = (name: string) => (name === 'state' ? t.list(alarmState, { maxItems: maxNames }) : t.list(t.text))
  const filters = Object.fromEntries(reportDimensions[report].filters.map(name => [name, values(name)]))
  return t.named(
    `${titleOf(report)}Conditions`,
    t.unsafe<unknown>({ ...t.jsonOf(t.partial(t.nullableProperties(filters))), additionalProperties: false }),
  )
}

/** Member `warnings` of a report. */
export const reportWarnings = warnings(
  'If the simulated history of the range is incomplete, or a property name is similar to a supported one',
)

/** Address of a report's file, and when the file expires. */
export const reportFile = t.named('ReportFile', t.object({ url: t.text, expires: t.instant }))

export const reportRange = t.named('ReportRange', t.object({ start: t.instant, end: t.instant }))
const entity = t.named('ReportEntity', t.object({ type: t.text, id: t.text }))
const entities = t.named(
  'ReportEntities',
  t.recordOf(t.named('EntitiesById', t.recordOf(t.named('EntityFields', t.unsafe<unknown>({ type: 'object' }))))),
  'Entities to which items refer: by the name of the grouping, then by id',
)
const flatRow = t.named('FlatRow', t.unsafe<unknown>({ type: 'object' }), 'An item of a report with `flatten`')

/**
 * Response of a report; with `flatten`, `items` are flat rows. The aggregate and the items have schema names, because
 * items contain items.
 */
export function reportResponse(report: ReportName, values: t.Schema): t.Schema {
  const title = titleOf(report)
  const aggregate = t.named(`${title}Aggregate`, values)
  // An `IncidentItem` is an incident in a list.
  const itemName = report === 'incident' ? 'IncidentGroup' : `${title}Item`
  const items = t.list(t.unsafe<unknown>({ $ref: `#/components/schemas/${itemName}` }))
  const item = t.named(itemName, t.object({ entity, aggregate, items }, ['items']))
  return t.named(
    `${title}Report`,
    t.object(
      {
        range: reportRange,
        csv: reportFile,
        aggregate,
        entities,
        items: t.list(t.unsafe<unknown>({ anyOf: [item, flatRow] })),
        warnings: reportWarnings,
      },
      ['csv', 'warnings'],
    ),
  )
}

function titleOf(report: ReportName): string {
  return report.charAt(0).toUpperCase() + report.slice(1)
}
