import { jsonChunks } from '../../http/respond.ts'
import { cooperativeStream } from '../../json/cooperative-stream.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { JsonBounds } from '../../../shared/json/bounds.ts'
import { parseJsonCooperatively } from '../../../shared/json/large-json.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { entriesOf } from '../compile/entries.ts'
import { problem } from '../compile/problem.ts'
import { type ReportRoot } from '../model/reports.ts'
import type { ResponseBudget } from './response-budget.ts'
import type { Operation } from './context.ts'
import type { ResultRow } from './lists.ts'
import type { Selected } from './selection.ts'

/** The response of a report's REST route. */
interface Answer {
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
  { scope, reports, reportsInTurn, signal, budget }: Operation,
): Promise<ResultRow> {
  if (!reports) throw problem('bad-request', 'Reports require HTTP at the same URL')
  const body = bodyOf(args['args'])
  return await reportsInTurn(async () => {
    signal.throwIfAborted()
    const made = await reports[report](scope.companyId, body, { signal })
    const { range, aggregate, entities, items } = await parsed(made, budget, signal)
    const isFlat = body['flatten'] === true
    const slice = new TimeSlice(signal)
    const answer = {
      range,
      aggregate,
      items: isFlat ? [] : await mapEach(items, slice, item => withEntity(item, entities, slice)),
      rows: isFlat ? items : [],
    }
    budget.countRows(isFlat ? items.length : countOf(answer.items))
    return await selected(answer, fields, { budget, slice })
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
async function parsed(body: unknown, budget: ResponseBudget, signal: AbortSignal): Promise<Answer> {
  if (typeof body !== 'object' || body === null) throw new Error('invariant: a report is an object')
  const chunks: Buffer[] = []
  for await (const chunk of cooperativeStream(jsonChunks(body))) {
    signal.throwIfAborted()
    budget.countChars(String(chunk).length)
    chunks.push(Buffer.from(chunk))
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the report's own text
  return (await parseJsonCooperatively(Buffer.concat(chunks), ownJson)) as Answer
}

/** The text is written by this service, so its size is limited by the budget only. */
const ownJson: JsonBounds = {
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

async function withEntity(item: ResultRow, entities: Answer['entities'], slice: TimeSlice): Promise<ResultRow> {
  const named = new Map(entriesOf(item['entity']))
  const [type, id] = [String(named.get('type')), String(named.get('id'))]
  const entity = { ...entities[type]?.[id], type, id }
  return { ...item, entity, items: await mapEach(itemsOf(item), slice, each => withEntity(each, entities, slice)) }
}

/** Maps an array item by item and yields to the event loop. */
async function mapEach<T, R>(items: readonly T[], slice: TimeSlice, map: (item: T) => R | Promise<R>): Promise<R[]> {
  const result: R[] = []
  for (const item of items) {
    const made = map(item)
    result.push(made instanceof Promise ? await made : made)
    if (slice.isOver) await slice.next()
  }
  return result
}

interface Selecting {
  readonly budget: ResponseBudget
  readonly slice: TimeSlice
}

/** Returns the selected fields of an object, by response name. */
async function selected(value: ResultRow, fields: readonly Selected[], selecting: Selecting): Promise<ResultRow> {
  selecting.budget.countValues(fields.length)
  const values = await mapEach(fields, selecting.slice, field => chosen(value[field.name], field, selecting))
  return Object.fromEntries(fields.map(({ key }, i) => [key, values[i]]))
}

/**
 * Returns the selected part of a value. Returns a promise only for objects, because promises for all scalars would be
 * slow.
 */
function chosen(value: unknown, field: Selected, selecting: Selecting): unknown {
  if (field.typeName !== null) return field.typeName
  if (Array.isArray(value)) return mapEach(value, selecting.slice, each => chosen(each, field, selecting))
  if (isRow(value)) return selected(value, field.fields, selecting)
  // Some ids are numbers in the REST report, but strings in GraphQL.
  return value === undefined || value === null ? null : (field.leaf?.serialize(value) ?? null)
}

function isRow(value: unknown): value is ResultRow {
  return typeof value === 'object' && value !== null
}
