import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { compileAggregate, type AggregateFunction } from '../compile/aggregate.ts'
import { type CompiledList, compileList, parseRowCount, type ListRequest } from '../compile/list.ts'
import type { Value } from '../compile/values.ts'
import { queryColumns, type ResultColumns, type RowsByParent, type OperationContext } from './context.ts'
import { type NestedList, type Reader, readerOf } from './reader.ts'
import { readsOf } from './reads.ts'
import { charsOf, type Selected } from './selection.ts'

/** An object of the response; its keys are response names. */
export type ResultRow = Readonly<Record<string, unknown>>
type MutableRow = Record<string, unknown>

/** The columns of a statement's result. */
interface QueryResult {
  readonly columns: ResultColumns
  /** How often the response contains each row: a row of several parents occurs once for each of them. */
  readonly occurrences: readonly number[]
}

const none: RowsByParent = new Map()

/**
 * Queries the rows of a list and of its relations; each list is one statement for all parents together. Throws a
 * `GraphQLError` if a limit is exceeded.
 */
export async function runList(
  request: ListRequest,
  fields: readonly Selected[],
  operation: OperationContext,
): Promise<RowsByParent> {
  const { entity, args, parents } = request
  if (parents?.occurrences.size === 0 || parseRowCount(args, 'limit') === 0) return none
  if (operation.slice.isOver) await operation.slice.next()
  const known = await operation.localResults?.list(request, fields, operation.scope.companyId, operation.budget)
  if (known) return known
  let reader: Reader = { template: {}, chars: 0, columns: [], ones: [], lists: [] }
  const { sql, shape, parent } = compileList(
    request,
    operation.scope,
    select => {
      reader = readerOf(entity, fields, select)
    },
    maxRowsToRead(request, operation.budget.rowsLeft),
  )
  const columns = await queryOrCache(request, fields, { sql, shape }, operation)
  const occurrences = occurrencesOf(request, columns, parent)
  const count = sum(occurrences)
  operation.budget.countRows(count)
  operation.budget.countValues(count * widthOf(reader))
  operation.budget.countChars(count * rowCharsOf(reader))
  await operation.budget.countTexts(
    aliasesOf(reader).map(alias => columns[alias] ?? []),
    occurrences,
  )
  const rows = await readRows(reader, { columns, occurrences }, operation)
  const grouped = new Map<unknown, ResultRow[]>()
  const slice = new TimeSlice(operation.signal)
  for (let i = 0; i < rows.length; i++) {
    if (slice.isOver) await slice.next()
    const of = parent === null ? null : columns[parent]?.[i]
    const same = grouped.get(of)
    const row = rows[i]
    if (!row) throw new Error('invariant: each row of a result has an object')
    if (same) same.push(row)
    else grouped.set(of, [row])
  }
  return grouped
}

/**
 * Maximum number of rows to read: with more rows, the response would exceed the limit even if all of them belonged to
 * the parent that occurs least often.
 */
function maxRowsToRead({ parents }: ListRequest, left: number): number {
  if (!parents) return left
  let fewest = Infinity
  for (const occurrences of parents.occurrences.values()) fewest = Math.min(fewest, occurrences)
  return Math.max(0, Math.floor(left / fewest))
}

/**
 * Returns how often the response contains each row of a result. `parent`: alias of the column that refers to the
 * parent.
 */
function occurrencesOf({ parents }: ListRequest, columns: ResultColumns, parent: string | null): readonly number[] {
  if (!parents || parent === null) return Array.from(Object.values(columns)[0] ?? [], () => 1)
  const byValue: ReadonlyMap<unknown, number> = parents.occurrences
  return (columns[parent] ?? []).map(value => byValue.get(value) ?? 1)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Runs the statement of a list, or returns its cached result. The statement does not include lists within the rows. */
async function queryOrCache(
  { entity, args }: ListRequest,
  fields: readonly Selected[],
  { sql, shape }: Pick<CompiledList, 'sql' | 'shape'>,
  operation: OperationContext,
): Promise<ResultColumns> {
  const { localResults, machineRef, scope } = operation
  if (!localResults) return queryColumns(operation, sql, shape)
  const own = fields.filter(({ name }) => entity.relations[name]?.kind === 'object' || name in entity.columns)
  const sources = readsOf({ entity, args, fields: own }, machineRef).map(({ source }) => source)
  return localResults.query(scope.companyId, sources, sql, () => queryColumns(operation, sql, shape))
}

/** Number of values per row, including the rows of its object relations. */
function widthOf({ columns, ones, lists }: Reader): number {
  return ones.reduce((total, { reader }) => total + 1 + widthOf(reader), columns.length + lists.length)
}

/** Number of characters of a row in the response, without its values. */
function rowCharsOf({ chars, ones }: Reader): number {
  return ones.reduce((total, { reader }) => total + rowCharsOf(reader), chars)
}

/** The aliases of a row's columns, repeated as often as the response contains the column. */
function aliasesOf({ columns, ones }: Reader): readonly string[] {
  return [...columns.map(([, alias]) => alias), ...ones.flatMap(({ reader }) => aliasesOf(reader))]
}

/** Queries the aggregates and the rows of a list; returns a function from the parent to its result. */
export async function runAggregate(
  request: ListRequest,
  fields: readonly Selected[],
  operation: OperationContext,
): Promise<(parent: unknown) => ResultRow> {
  const selected = fields.filter(({ name }) => name === 'aggregate')
  const nodes = fields.filter(({ name }) => name === 'nodes')
  const [aggregatesOf, ...lists] = await Promise.all([
    runAggregateFunctions(request, selected, operation),
    ...nodes.map(each => runList(request, each.fields, operation)),
  ])
  const indexOf = new Map(nodes.map((each, i) => [each, i]))
  return parent => {
    const valuesOf = aggregatesOf(parent)
    return objectOf(fields, field => {
      const index = indexOf.get(field)
      return index === undefined ? objectOf(field.fields, valuesOf) : (lists[index]?.get(parent) ?? [])
    })
  }
}

/** Builds an object with a value for each field, in the order of the fields. */
function objectOf(fields: readonly Selected[], valueOf: (field: Selected) => unknown): ResultRow {
  return Object.fromEntries(fields.map(field => [field.key, field.typeName ?? valueOf(field)]))
}

/** Returns the value of a field of `aggregate`: a number for `count`, otherwise an object of numbers. */
type ValuesOf = (field: Selected) => unknown

async function runAggregateFunctions(
  request: ListRequest,
  selected: readonly Selected[],
  operation: OperationContext,
): Promise<(parent: unknown) => ValuesOf> {
  const functionFields = selected.flatMap(({ fields }) => fields.flatMap(aggregateFunctionsOf))
  const indexOf = new Map(functionFields.map(([field], i) => [field, i]))
  const functions = functionFields.map(([, each]) => each)
  const isEmpty = request.parents?.occurrences.size === 0
  const values = new Map<unknown, readonly unknown[]>()
  if (functions.length > 0 && !isEmpty) {
    if (operation.slice.isOver) await operation.slice.next()
    const compiled = compileAggregate(request, functions, operation.scope)
    const columns: QueryResult['columns'] = await queryColumns(operation, compiled.sql, compiled.shape)
    const occurrences = occurrencesOf(request, columns, compiled.parent)
    operation.budget.countRows(sum(occurrences))
    await operation.budget.countTexts(Object.values(columns), occurrences)
    for (let i = 0; i < occurrences.length; i++) {
      const of = compiled.parent === null ? null : columns[compiled.parent]?.[i]
      values.set(
        of,
        compiled.aliases.map(name => columns[name]?.[i]),
      )
    }
  }
  const empty = functions.map(({ of }) => (of === 'count' ? 0 : null))
  return parent => {
    const found = values.get(parent) ?? empty
    const valuesOf: ValuesOf = field => {
      const index = indexOf.get(field)
      return index === undefined ? objectOf(field.fields, valuesOf) : found[index]
    }
    return valuesOf
  }
}

/** The aggregate functions that a field of `aggregate` selects, each with the field that contains its value. */
function aggregateFunctionsOf(field: Selected): readonly (readonly [Selected, AggregateFunction])[] {
  const { name, typeName, args, fields } = field
  if (typeName !== null) return []
  switch (name) {
    case 'count': {
      const columns = Array.isArray(args['columns']) ? args['columns'].map(String) : []
      return [[field, { of: name, columns, distinct: args['distinct'] === true }]]
    }
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
      return fields.flatMap(each => (each.typeName === null ? [[each, { of: name, column: each.name }] as const] : []))
    default:
      throw new Error(`invariant: unknown aggregate ${name}`)
  }
}

/** Builds the objects of a result's rows, including their nested lists. */
async function readRows(
  reader: Reader,
  result: QueryResult,
  operation: OperationContext,
): Promise<readonly MutableRow[]> {
  const rows: MutableRow[] = result.occurrences.map(() => ({ ...reader.template }))
  await fill(rows, reader, result.columns, operation.signal)
  await fillLists(rows, reader, result, operation)
  return rows
}

/** Sets the values of the selected columns in rows; yields to the event loop. */
async function fill(
  rows: readonly (MutableRow | null)[],
  reader: Reader,
  columns: QueryResult['columns'],
  signal: AbortSignal,
): Promise<void> {
  const slice = new TimeSlice(signal)
  const filled = reader.columns.map(([key, alias]) => [key, columns[alias]] as const)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    if (row) for (const [key, values] of filled) row[key] = values?.[i] ?? null
    if (slice.isOver) await slice.next()
  }
}

async function fillLists(
  rows: readonly (MutableRow | null)[],
  reader: Reader,
  result: QueryResult,
  operation: OperationContext,
): Promise<void> {
  const { columns } = result
  const ones = reader.ones.map(async ({ key, present, reader: inner }) => {
    const isThere = columns[present]
    const objects = rows.map((row, i) => (row && (isThere?.[i] ?? null) !== null ? { ...inner.template } : null))
    await fill(objects, inner, columns, operation.signal)
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]
      if (row) row[key] = objects[i] ?? null
    }
    await fillLists(objects, inner, result, operation)
  })
  await Promise.all([...ones, ...reader.lists.map(list => fillList(rows, list, result, operation))])
}

async function fillList(
  rows: readonly (MutableRow | null)[],
  { selected, relation, entity, own, isAggregate }: NestedList,
  { columns, occurrences }: QueryResult,
  operation: OperationContext,
): Promise<void> {
  const owns = columns[own] ?? []
  const byValue = new Map<Value, number>()
  for (let i = 0; i < rows.length; i++) {
    const value = owns[i]
    if (rows[i] && isValue(value)) byValue.set(value, (byValue.get(value) ?? 0) + (occurrences[i] ?? 1))
  }
  const request = { entity, args: selected.args, parents: { column: relation.their, occurrences: byValue } }
  const set = (valueOf: (own: unknown) => unknown) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]
      if (row) row[selected.key] = valueOf(owns[i])
    }
  }
  if (isAggregate) {
    const valueFields = selected.fields.flatMap(aggregateFields)
    const count = sum(occurrences)
    operation.budget.countValues(count * valueFields.length)
    operation.budget.countChars(count * charsOf(valueFields))
    set(await runAggregate(request, selected.fields, operation))
  } else {
    const grouped = await runList(request, selected.fields, operation)
    set(value => grouped.get(value) ?? [])
  }
}

/** The selected fields of an aggregate at all levels, without the fields of its `nodes`. */
function aggregateFields(field: Selected): readonly Selected[] {
  return [field, ...(field.name === 'nodes' ? [] : field.fields.flatMap(aggregateFields))]
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
