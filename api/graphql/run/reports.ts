import { jsonChunks } from '../../http/json-stream.ts'
import { inTurns } from '../../json/in-turns.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { entriesOf } from '../compile/entries.ts'
import { problem } from '../compile/problem.ts'
import { type ReportRoot } from '../model/reports.ts'
import type { Operation, RowBudget } from './context.ts'
import type { Row } from './lists.ts'
import type { Selected } from './selection.ts'

/** A report as its REST route answers it. */
interface Answer {
  readonly range: Row
  readonly aggregate: Row
  readonly entities: Readonly<Record<string, Readonly<Record<string, Row>>>>
  readonly items: readonly Row[]
}

/** Longest text of one item of a report, about, UTF-16 units. */
const itemChars = 2000

/** A report by the names of the answer. Rejects as its REST route does. */
export async function runReport(
  { report }: ReportRoot,
  args: Readonly<Record<string, unknown>>,
  fields: readonly Selected[],
  { scope, reports, options, budget }: Operation,
): Promise<Row> {
  if (!reports) throw problem('bad-request', 'Reports are answered over HTTP, at the same address')
  const body = bodyOf(args['args'])
  const signal = options.signal ?? new AbortController().signal
  const { body: made } = await reports[report]({ companyId: scope.companyId, body, signal })
  const { range, aggregate, entities, items } = await parsed(made, budget.left * itemChars)
  budget.take(countOf(items))
  const isFlat = body['flatten'] === true
  const answer = {
    range,
    aggregate,
    items: isFlat ? [] : items.map(item => withEntity(item, entities)),
    rows: isFlat ? items : [],
  }
  return selected(answer, fields, budget)
}

/** The body that the REST route takes. */
function bodyOf(args: unknown): Row {
  const instant = (value: unknown) => (typeof value === 'number' ? isoText(value) : value)
  return Object.fromEntries(
    entriesOf(args).map(([name, value]) => [name, name === 'start' || name === 'end' ? instant(value) : value]),
  )
}

/** The answer as an object; throws where its text has more than `mostChars`. */
async function parsed(body: unknown, mostChars: number): Promise<Answer> {
  if (typeof body !== 'object' || body === null) throw new Error('invariant: a report is an object')
  let text = ''
  for await (const chunk of inTurns(jsonChunks(body))) {
    text += String(chunk)
    if (text.length > mostChars)
      throw problem('row-limit-exceeded', 'The report has more items than an answer may have')
  }
  const answer: Answer = JSON.parse(text)
  return answer
}

function itemsOf(item: Row): readonly Row[] {
  const { items } = item
  return Array.isArray(items) ? items : []
}

function countOf(items: readonly Row[]): number {
  return items.reduce((count, item) => count + 1 + countOf(itemsOf(item)), 0)
}

function withEntity(item: Row, entities: Answer['entities']): Row {
  const named = new Map(entriesOf(item['entity']))
  const [type, id] = [String(named.get('type')), String(named.get('id'))]
  const entity = { ...entities[type]?.[id], type, id }
  return { ...item, entity, items: itemsOf(item).map(each => withEntity(each, entities)) }
}

/** The fields that are asked for, by the names of the answer. */
function selected(value: Row, fields: readonly Selected[], budget: RowBudget): Row {
  budget.takeValues(fields.length)
  return Object.fromEntries(
    fields.map(field => [field.key, field.typeName ?? chosen(value[field.name], field, budget)]),
  )
}

function chosen(value: unknown, field: Selected, budget: RowBudget): unknown {
  if (Array.isArray(value)) return value.map(each => chosen(each, field, budget))
  if (isRow(value)) return selected(value, field.fields, budget)
  // An id may be a number there, and a text here.
  return value === undefined || value === null ? null : (field.leaf?.serialize(value) ?? null)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
