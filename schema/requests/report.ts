import { alarmStates, reportDimensions, type ReportName } from '../groupings.ts'
import {
  bool,
  described,
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

/** Which file a report is kept as. */
export const fileFormat = oneOf(['csv', 'parquet'], {
  default: 'csv',
  description: 'Of the file; `parquet` means a file also without `csv`',
})

/** `{metric: "oee"}`, or `"oee"` for short. */
function shorthand(field: string, names: readonly string[]) {
  const name = oneOf(names)
  return unsafe<unknown>({ anyOf: [object({ [field]: name }), name] })
}

/**
 * Body of a report's request. Shown in the docs only: reports parse their bodies themselves and list every fault. `metrics`: what
 * `data` may name; `more`: properties of this report alone.
 */
export function reportInput(
  report: ReportName,
  options: { readonly metrics?: readonly string[]; readonly more?: Properties },
  example: JsonSchema,
): Schema {
  const { metrics, more = {} } = options
  const data = metrics && list(shorthand('metric', metrics), { minItems: 1 })
  const properties = partial({
    start: looseInstant,
    end: looseInstant,
    startDay: localDate,
    endDay: localDate,
    ...(data && { data }),
    groupBy: list(shorthand('group', reportDimensions[report].groupings)),
    filter: conditions(report),
    ...more,
    csv: described(bool, 'Also keep the report as a file: the answer has `csv`'),
    format: fileFormat,
    flatten: described(bool, 'Items as flat rows; without groups as one row'),
  })
  return unsafe<unknown>({
    ...jsonOf(properties),
    ...(data && { required: ['data'] }),
    oneOf: [{ required: ['start', 'end'] }, { required: ['startDay', 'endDay'] }],
    examples: [example],
  })
}

/** Filters of a report. */
export function conditions(report: ReportName) {
  const values = (name: string) => (name === 'state' ? list(oneOf(alarmStates)) : list(text))
  return partial(Object.fromEntries(reportDimensions[report].filters.map(name => [name, values(name)])))
}

/** A report's answer; `items` are flat rows where `flatten` was asked for. Its aggregate and its items have names, as items hold items. */
export function reportAnswer(name: string, aggregate: Schema): Schema {
  const entity = object({ type: text, id: text })
  const item = named(
    `${name}Item`,
    object(
      {
        entity,
        aggregate: named(`${name}Aggregate`, aggregate),
        items: list(unsafe<unknown>({ $ref: `#/components/schemas/${name}Item` })),
      },
      ['items'],
    ),
  )
  return object(
    {
      range: object({ start: instant, end: instant }),
      csv: object({ url: text, expires: instant }),
      aggregate: named(`${name}Aggregate`, aggregate),
      entities: recordOf(recordOf(unsafe<unknown>({ type: 'object' }))),
      items: list(unsafe<unknown>({ anyOf: [item, { type: 'object' }] })),
    },
    ['csv'],
  )
}
