import { reportDimensions } from '../groupings.ts'
import { metrics } from '../metrics.ts'
import {
  bool,
  instant,
  type JsonSchema,
  list,
  localDate,
  looseInstant,
  object,
  partial,
  schema,
  text,
} from './json-schema.ts'

const { groupings, filters } = reportDimensions.production
const ids = list(text)
const csv = object({ url: text, expires: instant })

/** Body of `POST /reports/production`. Shown in the docs only: reports parse their bodies themselves and list every fault. */
export const productionReportInput: JsonSchema = {
  ...partial({
    start: looseInstant,
    end: looseInstant,
    startDay: localDate,
    endDay: localDate,
    data: list(object({ metric: { type: 'string', enum: Object.keys(metrics) } }), { minItems: 1 }),
    groupBy: list(object({ group: { type: 'string', enum: groupings } })),
    filter: partial(Object.fromEntries(filters.map(name => [name, ids]))),
    csv: { ...bool, description: 'Also keep the report as a file: the answer has `csv`' },
    format: { type: 'string', enum: ['csv', 'parquet'], default: 'csv', description: 'Of the file' },
    flatten: bool,
  }),
  required: ['data'],
  oneOf: [{ required: ['start', 'end'] }, { required: ['startDay', 'endDay'] }],
  examples: [
    {
      startDay: '2026-03-02',
      endDay: '2026-03-02',
      data: [{ metric: 'oee' }, { metric: 'totalParts' }],
      groupBy: [{ group: 'machine' }],
    },
  ],
}

/** A report's answer. `items` are flat rows where `flatten` was asked for. */
export const reportAnswer = schema<unknown>(
  object(
    {
      range: object({ start: instant, end: instant }),
      csv,
      aggregate: { $ref: '#/components/schemas/Aggregate' },
      entities: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'object' } } },
      items: list({ anyOf: [{ $ref: '#/components/schemas/ReportItem' }, { type: 'object' }] }),
    },
    ['csv'],
  ),
)

/** What the schemas above refer to. */
export const reportComponents = {
  Aggregate: {
    description: 'A value for every metric; null where there is none.',
    type: 'object',
    additionalProperties: { type: ['number', 'null'] },
  },
  ReportItem: object(
    {
      entity: object({ type: text, id: text }),
      aggregate: { $ref: '#/components/schemas/Aggregate' },
      items: list({ $ref: '#/components/schemas/ReportItem' }),
    },
    ['items'],
  ),
} as const
