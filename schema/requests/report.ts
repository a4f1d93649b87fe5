import { alarmStates, reportDimensions, type ReportName } from '../groupings.ts'
import {
  bool,
  described,
  nullableProperties,
  instant,
  type JsonSchema,
  jsonOf,
  list,
  localDate,
  looseInstant,
  named,
  object,
  oneOf,
  partial,
  type Properties,
  recordOf,
  type Schema,
  text,
  unsafe,
} from '../types.ts'
import { warnings } from './warning.ts'

export const fileFormats = ['csv', 'parquet', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Format of the file to which a report is exported. */
export const fileFormat = named(
  'FileFormat',
  oneOf(fileFormats, {
    default: 'csv',
    description: 'Format of the file; `parquet` and `xlsx` export a file even without `csv`',
  }),
)

/** Schema of a name in an object or on its own: `{metric: "oee"}` or `"oee"`. */
function shorthand(title: string, field: string, names: readonly string[]) {
  const name = named(`${title}Name`, oneOf(names))
  return unsafe<unknown>({ anyOf: [named(title, object({ [field]: name })), name] })
}

/**
 * Body of a report's request. Used only in the OpenAPI document: reports parse their bodies and list every field error.
 * `metrics`: names for `data`; `conditions`: schema of the filter; `more`: properties that only this report has.
 */
export function reportInput(
  report: ReportName,
  options: { readonly metrics?: readonly string[]; readonly conditions?: Schema; readonly more?: Properties },
  example: JsonSchema,
): Schema {
  const { metrics, conditions = filtersOf(report), more = {} } = options
  const title = titleOf(report)
  const data = metrics && list(shorthand(`${title}Metric`, 'metric', metrics), { minItems: 1, maxItems: maxNames })
  const properties = partial({
    ...nullableProperties({
      start: looseInstant,
      end: looseInstant,
      startDay: localDate,
      endDay: localDate,
      groupBy: list(shorthand(`${title}Grouping`, 'group', reportDimensions[report].groupings), {
        maxItems: maxNames,
      }),
      filter: conditions,
      ...more,
      csv: described(bool, 'Also export the report to a file; the response contains `csv`'),
      format: fileFormat,
      flatten: described(bool, 'Returns items as flat rows; one row if there are no groups'),
    }),
    ...(data && { data }),
  })
  return named(
    `${title}ReportInput`,
    unsafe<unknown>({ ...jsonOf(properties), ...(data && { required: ['data'] }), examples: [example] }),
    'Accepts either `start` and `end`, or `startDay` and `endDay`',
  )
}

export const alarmState = named('AlarmState', oneOf(alarmStates))

/** Maximum length of an array of names in a report's request. */
export const maxNames = 1_000

/** Schema of a report's filters; other properties are invalid. */
export function filtersOf(report: ReportName): Schema {
  const values = (name: string) => (name === 'state' ? list(alarmState, { maxItems: maxNames }) : list(text))
  const filters = Object.fromEntries(reportDimensions[report].filters.map(name => [name, values(name)]))
  return named(
    `${titleOf(report)}Conditions`,
    unsafe<unknown>({ ...jsonOf(partial(nullableProperties(filters))), additionalProperties: false }),
  )
}

/** Member `warnings` of a report. */
export const reportWarnings = warnings(
  'If the simulated history of the range is incomplete, or a property name is similar to a supported one',
)

/** Address of a report's file, and when the file expires. */
export const reportFile = named('ReportFile', object({ url: text, expires: instant }))

export const reportRange = named('ReportRange', object({ start: instant, end: instant }))
const entity = named('ReportEntity', object({ type: text, id: text }))
const entities = named(
  'ReportEntities',
  recordOf(named('EntitiesById', recordOf(named('EntityFields', unsafe<unknown>({ type: 'object' }))))),
  'Entities to which items refer: by the name of the grouping, then by id',
)
const flatRow = named('FlatRow', unsafe<unknown>({ type: 'object' }), 'An item of a report with `flatten`')

/**
 * Response of a report; with `flatten`, `items` are flat rows. The aggregate and the items have schema names, because
 * items contain items.
 */
export function reportResponse(report: ReportName, values: Schema): Schema {
  const title = titleOf(report)
  const aggregate = named(`${title}Aggregate`, values)
  // An `IncidentItem` is an incident in a list.
  const itemName = report === 'incident' ? 'IncidentGroup' : `${title}Item`
  const items = list(unsafe<unknown>({ $ref: `#/components/schemas/${itemName}` }))
  const item = named(itemName, object({ entity, aggregate, items }, ['items']))
  return named(
    `${title}Report`,
    object(
      {
        range: reportRange,
        csv: reportFile,
        aggregate,
        entities,
        items: list(unsafe<unknown>({ anyOf: [item, flatRow] })),
        warnings: reportWarnings,
      },
      ['csv', 'warnings'],
    ),
  )
}

function titleOf(report: ReportName): string {
  return report.charAt(0).toUpperCase() + report.slice(1)
}
