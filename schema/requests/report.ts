import { alarmStates, reportDimensions, type ReportName } from '../groupings.ts'
import {
  bool,
  described,
  given,
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

/** Format of the file that a report is kept as. */
export const fileFormat = named(
  'FileFormat',
  oneOf(['csv', 'parquet'], { default: 'csv', description: 'Of the file; `parquet` means a file also without `csv`' }),
)

/** `{metric: "oee"}`, or `"oee"` for short. */
function shorthand(title: string, field: string, names: readonly string[]) {
  const name = named(`${title}Name`, oneOf(names))
  return unsafe<unknown>({ anyOf: [named(title, object({ [field]: name })), name] })
}

/**
 * Body of a report's request. Shown in the docs only: reports parse their bodies themselves and list every fault. `metrics`: what
 * `data` may name; `conditions`: of its filter; `more`: properties of this report alone.
 */
export function reportInput(
  report: ReportName,
  options: { readonly metrics?: readonly string[]; readonly conditions?: Schema; readonly more?: Properties },
  example: JsonSchema,
): Schema {
  const { metrics, conditions = conditionsOf(report), more = {} } = options
  const title = titleOf(report)
  const data = metrics && list(shorthand(`${title}Metric`, 'metric', metrics), { minItems: 1, maxItems: mostNames })
  const properties = partial({
    ...given({
      start: looseInstant,
      end: looseInstant,
      startDay: localDate,
      endDay: localDate,
      groupBy: list(shorthand(`${title}Grouping`, 'group', reportDimensions[report].groupings), {
        maxItems: mostNames,
      }),
      filter: conditions,
      ...more,
      csv: described(bool, 'Also keep the report as a file: the answer has `csv`'),
      format: fileFormat,
      flatten: described(bool, 'Items as flat rows; without groups as one row'),
    }),
    ...(data && { data }),
  })
  return named(
    `${title}ReportInput`,
    unsafe<unknown>({ ...jsonOf(properties), ...(data && { required: ['data'] }), examples: [example] }),
    'Takes either `start` and `end`, or `startDay` and `endDay`',
  )
}

export const alarmState = named('AlarmState', oneOf(alarmStates))

/** Maximum number of elements of a list of names in a report's request. */
export const mostNames = 1_000

/** Filters of a report: none but these. */
export function conditionsOf(report: ReportName): Schema {
  const values = (name: string) => (name === 'state' ? list(alarmState, { maxItems: mostNames }) : list(text))
  const filters = Object.fromEntries(reportDimensions[report].filters.map(name => [name, values(name)]))
  return named(
    `${titleOf(report)}Conditions`,
    unsafe<unknown>({ ...jsonOf(partial(given(filters))), additionalProperties: false }),
  )
}

/** Member `warnings` of a report. */
export const reportWarnings = warnings(
  'If the simulated history of the range is incomplete, or a key is nearly a known one',
)

/** Where the file of a report is, and until when. */
export const reportFile = named('ReportFile', object({ url: text, expires: instant }))

export const reportRange = named('ReportRange', object({ start: instant, end: instant }))
const entity = named('ReportEntity', object({ type: text, id: text }))
const entities = named(
  'ReportEntities',
  recordOf(named('EntitiesById', recordOf(named('EntityFields', unsafe<unknown>({ type: 'object' }))))),
  'What items refer to: by the name of the grouping, then by id',
)
const flatRow = named('FlatRow', unsafe<unknown>({ type: 'object' }), 'An item of a report with `flatten`')

/**
 * Response of a report; `items` are flat rows with `flatten`. Its aggregate and its items have schema names, because
 * items contain items.
 */
export function reportAnswer(report: ReportName, values: Schema): Schema {
  const title = titleOf(report)
  const aggregate = named(`${title}Aggregate`, values)
  const items = list(unsafe<unknown>({ $ref: `#/components/schemas/${title}Item` }))
  const item = named(`${title}Item`, object({ entity, aggregate, items }, ['items']))
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
