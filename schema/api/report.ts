import { alarmStates, type FilterName, reportDimensions, type ReportName } from '../groupings.ts'
import {
  bool,
  instant,
  type JsonSchema,
  list,
  localDate,
  looseInstant,
  object,
  partial,
  type Schema,
  schema,
  text,
} from './json-schema.ts'

/** `{metric: "oee"}`, or `"oee"` for short. */
function named(field: string, names: readonly string[]): JsonSchema {
  const name: JsonSchema = { type: 'string', enum: names }
  return { anyOf: [object({ [field]: name }), name] }
}

/**
 * Body of a report's request. Shown in the docs only: reports parse their bodies themselves and list every fault. `metrics`: what
 * `data` may name; `more`: properties of this report alone.
 */
export function reportInput(
  report: ReportName,
  options: { readonly metrics?: readonly string[]; readonly more?: Readonly<Record<string, JsonSchema>> },
  example: JsonSchema,
): JsonSchema {
  const { metrics, more = {} } = options
  const data = metrics && list(named('metric', metrics), { minItems: 1 })
  return {
    ...partial({
      start: looseInstant,
      end: looseInstant,
      startDay: localDate,
      endDay: localDate,
      ...(data && { data }),
      groupBy: list(named('group', reportDimensions[report].groupings)),
      filter: conditions(report),
      ...more,
      csv: { ...bool, description: 'Also keep the report as a file: the answer has `csv`' },
      format: {
        type: 'string',
        enum: ['csv', 'parquet'],
        default: 'csv',
        description: 'Of the file; `parquet` means a file also without `csv`',
      },
      flatten: { ...bool, description: 'Items as flat rows; without groups as one row' },
    }),
    ...(data && { required: ['data'] }),
    oneOf: [{ required: ['start', 'end'] }, { required: ['startDay', 'endDay'] }],
    examples: [example],
  }
}

/** What a report may be filtered by. */
export function conditions(report: ReportName): JsonSchema {
  return partial(Object.fromEntries(reportDimensions[report].filters.map(name => [name, valuesOf(name)])))
}

function valuesOf(filter: FilterName): JsonSchema {
  return filter === 'state' ? list({ type: 'string', enum: alarmStates }) : list(text)
}

/** A report's answer and what it refers to: `<name>Aggregate`, `<name>Item`. `items` are flat rows where `flatten` was asked for. */
export function reportAnswer(
  name: string,
  aggregate: JsonSchema,
): { readonly answer: Schema<unknown>; readonly components: Readonly<Record<string, JsonSchema>> } {
  const [aggregateName, itemName] = [`${name}Aggregate`, `${name}Item`]
  const [aggregateRef, itemRef] = [aggregateName, itemName].map(each => ({ $ref: `#/components/schemas/${each}` }))
  const entity = object({ type: text, id: text })
  const entities = { type: 'object', additionalProperties: { type: 'object' } }
  return {
    answer: schema<unknown>(
      object(
        {
          range: object({ start: instant, end: instant }),
          csv: object({ url: text, expires: instant }),
          aggregate: { ...aggregateRef },
          entities: { type: 'object', additionalProperties: entities },
          items: list({ anyOf: [{ ...itemRef }, { type: 'object' }] }),
        },
        ['csv'],
      ),
    ),
    components: {
      [aggregateName]: aggregate,
      [itemName]: object({ entity, aggregate: { ...aggregateRef }, items: list({ ...itemRef }) }, ['items']),
    },
  }
}
