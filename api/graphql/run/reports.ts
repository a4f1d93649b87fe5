import { jsonChunks } from '../../json/write-json.ts'
import { cooperativeStream } from '../../json/cooperative-stream.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { JsonBounds } from '../../../shared/json/bounds.ts'
import { parseJsonCooperatively } from '../../../shared/json/large-json.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { entriesOf } from '../compile/entries.ts'
import { problem } from '../compile/problem.ts'
import { type ReportRoot } from '../model/reports.ts'
import type { ResponseBudget } from './response-budget.ts'
import type { OperationContext } from './context.ts'
import type { ResultRow } from './lists.ts'
import type { Selected } from './selection.ts'

/** The response of a report's REST route. */
interface ReportResponse {
  readonly range: ResultRow
  readonly aggregate: ResultRow
  readonly entities: Readonly<Record<string, Readonly<Record<string, ResultRow>>>>
  readonly items: readonly ResultRow[]
}

/** Runs a report and returns the selected fields by response name. Rejects as the REST route of the report does. */
export async function runReport(
  { report }: ReportRoot,
  args: Readonly<Record<string, unknown>>,
  fields: readonly Selected[],
  { scope, reports, reportsInTurn, signal, budget }: OperationContext,
): Promise<ResultRow> {
  if (!reports) throw problem('bad-request', 'Reports require HTTP at the same URL')
  const body = bodyOf(args['args'])
  return await reportsInTurn(async () => {
    signal.throwIfAborted()
    const result = await reports[report](scope.companyId, body, { signal })
    const { range, aggregate, entities, items } = await toReportResponse(result, budget, signal)
    const isFlat = body['flatten'] === true
    const slice = new TimeSlice(signal)
    const response = {
      range,
      aggregate,
      items: isFlat ? [] : await mapEach(items, slice, item => withEntity(item, entities, slice)),
      rows: isFlat ? items : [],
    }
    budget.countRows(isFlat ? items.length : countOf(response.items))
    return await select(response, fields, { budget, slice })
  })
}

/** Converts the arguments to the body of the REST route. */
function bodyOf(args: unknown): ResultRow {
  const instant = (value: unknown) => (typeof value === 'number' ? isoText(value) : value)
  return Object.fromEntries(
    entriesOf(args).map(([name, value]) => [name, name === 'start' || name === 'end' ? instant(value) : value]),
  )
}

/** Serializes and parses a report; rejects if its text has more characters than the response may still contain. */
async function toReportResponse(body: unknown, budget: ResponseBudget, signal: AbortSignal): Promise<ReportResponse> {
  if (typeof body !== 'object' || body === null) throw new Error('invariant: a report is an object')
  const chunks: Buffer[] = []
  for await (const chunk of cooperativeStream(jsonChunks(body))) {
    signal.throwIfAborted()
    budget.countChars(String(chunk).length)
    chunks.push(Buffer.from(chunk))
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text is a serialized ReportResponse
  return (await parseJsonCooperatively(Buffer.concat(chunks), unlimitedJson)) as ReportResponse
}

/** The text is written by this service, so its size is limited by the budget only. */
const unlimitedJson: JsonBounds = {
  bytes: Infinity,
  depth: 100,
  elements: Infinity,
  keys: Infinity,
  values: Infinity,
  textBytes: Infinity,
  keyBytes: Infinity,
}

function itemsOf(item: ResultRow): readonly ResultRow[] {
  const { items } = item
  return Array.isArray(items) ? items : []
}

function countOf(items: readonly ResultRow[]): number {
  return items.reduce((count, item) => count + 1 + countOf(itemsOf(item)), 0)
}

async function withEntity(item: ResultRow, entities: ReportResponse['entities'], slice: TimeSlice): Promise<ResultRow> {
  const named = new Map(entriesOf(item['entity']))
  const [type, id] = [String(named.get('type')), String(named.get('id'))]
  const entity = { ...entities[type]?.[id], type, id }
  return { ...item, entity, items: await mapEach(itemsOf(item), slice, each => withEntity(each, entities, slice)) }
}

/** Maps an array item by item and yields to the event loop. */
async function mapEach<T, R>(items: readonly T[], slice: TimeSlice, map: (item: T) => R | Promise<R>): Promise<R[]> {
  const result: R[] = []
  for (const item of items) {
    const mapped = map(item)
    result.push(mapped instanceof Promise ? await mapped : mapped)
    if (slice.isOver) await slice.next()
  }
  return result
}

interface SelectContext {
  readonly budget: ResponseBudget
  readonly slice: TimeSlice
}

/** Returns the selected fields of an object, by response name. */
async function select(value: ResultRow, fields: readonly Selected[], context: SelectContext): Promise<ResultRow> {
  context.budget.countValues(fields.length)
  const values = await mapEach(fields, context.slice, field => selectValue(value[field.name], field, context))
  return Object.fromEntries(fields.map(({ key }, i) => [key, values[i]]))
}

/**
 * Returns the selected part of a value. Returns a promise only for objects, because promises for all scalars would be
 * slow.
 */
function selectValue(value: unknown, field: Selected, context: SelectContext): unknown {
  if (field.typeName !== null) return field.typeName
  if (Array.isArray(value)) return mapEach(value, context.slice, each => selectValue(each, field, context))
  if (isRow(value)) return select(value, field.fields, context)
  // Some ids are numbers in the REST report, but strings in GraphQL.
  return value === undefined || value === null ? null : (field.leaf?.serialize(value) ?? null)
}

function isRow(value: unknown): value is ResultRow {
  return typeof value === 'object' && value !== null
}
