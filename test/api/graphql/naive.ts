import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import type { RecordEntry } from '../../../schema/command-log.ts'
import type { Change } from '../../../schema/records.ts'

/*
 * A plant in memory and queries about it, answered by walking through its rows. It shares no code with the product.
 */
type Scalar = string | number | boolean | null
type Row = Readonly<Record<string, Scalar>>
interface Type {
  /** 'text': letters; 'id': texts that are only compared. */
  readonly fields: Readonly<Record<string, 'text' | 'id' | 'int' | 'bool' | 'instant'>>
  readonly key: string
  readonly order: string
  /** Relation → [type, own column, their column]. */
  readonly ones: Readonly<Record<string, readonly [string, string, string]>>
  readonly lists: Readonly<Record<string, readonly [string, string, string]>>
}

const types: Readonly<Record<string, Type>> = {
  machines: {
    fields: { machineId: 'id', machineRef: 'int', name: 'text', make: 'text', decommissionedAt: 'instant' },
    key: 'machineId',
    order: 'machineRef',
    ones: {},
    lists: {
      annotations: ['annotations', 'machineId', 'machineId'],
      operatorRuns: ['operatorRuns', 'machineId', 'machineId'],
      partAdjustments: ['partAdjustments', 'machineId', 'machineId'],
    },
  },
  annotations: {
    fields: { annotationId: 'id', startAt: 'instant', endAt: 'instant', note: 'text', annotationTypeId: 'int' },
    key: 'annotationId',
    order: 'startAt',
    ones: {
      machine: ['machines', 'machineId', 'machineId'],
      annotationType: ['downtimeReasons', 'annotationTypeId', 'annotationTypeId'],
    },
    lists: {},
  },
  downtimeReasons: {
    fields: { annotationTypeId: 'int', name: 'text', planned: 'bool' },
    key: 'annotationTypeId',
    order: 'annotationTypeId',
    ones: {},
    lists: { annotations: ['annotations', 'annotationTypeId', 'annotationTypeId'] },
  },
  operators: {
    fields: { operatorId: 'id', name: 'text' },
    key: 'operatorId',
    order: 'operatorId',
    ones: {},
    lists: { operatorRuns: ['operatorRuns', 'operatorId', 'operatorId'] },
  },
  operatorRuns: {
    fields: { operatorRunId: 'id', startAt: 'instant', endAt: 'instant' },
    key: 'operatorRunId',
    order: 'startAt',
    ones: {
      machine: ['machines', 'machineId', 'machineId'],
      operator: ['operators', 'operatorId', 'operatorId'],
    },
    lists: {},
  },
  partAdjustments: {
    fields: { partAdjustmentId: 'id', adjustedAt: 'instant', count: 'int', scrapCount: 'int', rejectReasonId: 'int' },
    key: 'partAdjustmentId',
    order: 'adjustedAt',
    ones: {
      machine: ['machines', 'machineId', 'machineId'],
      rejectReason: ['rejectReasons', 'rejectReasonId', 'rejectReasonId'],
    },
    lists: {},
  },
  rejectReasons: {
    fields: { rejectReasonId: 'int', name: 'text' },
    key: 'rejectReasonId',
    order: 'rejectReasonId',
    ones: {},
    lists: {},
  },
}

const typeOf = (name: string): Type => {
  const found = types[name]
  if (!found) throw new Error(`No type ${name}`)
  return found
}

export interface Plant {
  readonly rows: Readonly<Record<string, readonly Row[]>>
  readonly entry: RecordEntry
}

const names = ['Mill', 'mill', 'Lathe', 'Ärger', 'a_b', 'x%y']

/** A plant whose rows a seed decides; every name comes in every plant. */
export function naivePlant(company: number, nowMs: number): Plant {
  let state = company
  const draw = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
  const companyId = `company-${company}`
  const at = () => new Date(nowMs - draw(50) * 3_600_000).toISOString()
  const orNull = <T>(value: T): T | null => (draw(3) === 0 ? null : value)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[draw(values.length)]
    if (value === undefined) throw new Error('There is nothing to pick from')
    return value
  }
  const many = <T>(count: number, make: (i: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, i) => make(i))
  const machines = many(5, i => ({
    machineId: randomUUID(),
    machineRef: company * 100 + i,
    name: pick(names),
    make: orNull(pick(names)),
    decommissionedAt: orNull(at()),
  }))
  const downtimeReasons = many(3, i => ({
    annotationTypeId: company * 100 + i,
    name: pick(names),
    planned: draw(2) === 0,
  }))
  const rejectReasons = many(2, i => ({ rejectReasonId: company * 100 + 50 + i, name: pick(names) }))
  const operators = many(3, () => ({ operatorId: randomUUID(), name: pick(names) }))
  const annotations = many(15, () => ({
    annotationId: randomUUID(),
    machineId: pick(machines).machineId,
    annotationTypeId: draw(5) === 0 ? 9999 : pick(downtimeReasons).annotationTypeId,
    startAt: at(),
    endAt: orNull(at()),
    note: pick(['', ...names]),
  }))
  const operatorRuns = many(10, () => ({
    operatorRunId: randomUUID(),
    machineId: pick(machines).machineId,
    operatorId: pick(operators).operatorId,
    startAt: at(),
    endAt: orNull(at()),
  }))
  const partAdjustments = many(10, () => ({
    partAdjustmentId: randomUUID(),
    machineId: pick(machines).machineId,
    rejectReasonId: orNull(pick(rejectReasons).rejectReasonId),
    adjustedAt: at(),
    count: draw(9) - 4,
    scrapCount: draw(4),
  }))
  const changes: unknown[] = []
  const add = (kind: string, id: string | number, after: object) =>
    changes.push({ kind, id: String(id), before: null, after: { id, companyId, ...after } })
  for (const { machineId, machineRef, ...rest } of machines)
    add('machine', machineId, { ref: machineRef, ...rest, machineGroupIds: [], thresholds: {} })
  for (const { annotationTypeId, ...rest } of downtimeReasons) add('downtimeReason', annotationTypeId, rest)
  for (const { rejectReasonId, ...rest } of rejectReasons) add('partAdjustmentType', rejectReasonId, rest)
  for (const { operatorId, ...rest } of operators) add('operator', operatorId, { ref: 1, ...rest })
  for (const { annotationId, annotationTypeId, ...rest } of annotations)
    add('annotation', annotationId, { reasonId: annotationTypeId, ...rest })
  for (const { operatorRunId, ...rest } of operatorRuns) add('operatorRun', operatorRunId, rest)
  for (const { partAdjustmentId, adjustedAt, rejectReasonId, ...rest } of partAdjustments)
    add('partAdjustment', partAdjustmentId, {
      adjustmentTime: adjustedAt,
      categoryId: rejectReasonId,
      message: '',
      rejectBehavior: null,
      ...rest,
    })
  const command = { id: randomUUID(), deadlineMs: 0, nowMs, companyId, actor: 'test', name: 'test' }
  const entry: RecordEntry = {
    command,
    commandOffset: company,
    outcome: { ok: true, result: null },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- records as far as GraphQL reads them
    changes: changes as Change[],
  }
  const rows = { machines, annotations, downtimeReasons, operators, operatorRuns, partAdjustments, rejectReasons }
  return { rows, entry }
}

type Where =
  | { readonly and: readonly Where[] }
  | { readonly or: readonly Where[] }
  | { readonly not: Where }
  | { readonly field: string; readonly operator: string; readonly operand: Scalar | readonly Scalar[] }
  | { readonly relation: string; readonly of: string; readonly where: Where }

interface Args {
  readonly where: Where | null
  readonly order: readonly { readonly path: readonly string[]; readonly direction: string }[]
  readonly limit: number | null
  readonly offset: number | null
  readonly distinct: string | null
}

export interface Query {
  readonly type: string
  readonly args: Args
  readonly isAggregate: boolean
  readonly fields: readonly string[]
  readonly ones: readonly { readonly name: string; readonly type: string; readonly fields: readonly string[] }[]
  readonly lists: readonly { readonly name: string; readonly query: Query }[]
}

const directions = ['asc', 'desc', 'asc_nulls_first', 'desc_nulls_last']

function someOf<T>(values: readonly T[], most = 2): fc.Arbitrary<readonly T[]> {
  return values.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...values), { maxLength: most })
}

function comparisons(type: Type): fc.Arbitrary<Where> {
  const instants = Array.from({ length: 50 }, (_, i) =>
    new Date(Date.parse('2026-03-03T12:00:00.000Z') - i * 3_600_000).toISOString(),
  )
  return fc.constantFrom(...Object.entries(type.fields).filter(([, kind]) => kind !== 'id')).chain(([field, kind]) => {
    const values: Record<string, fc.Arbitrary<Scalar>> = {
      text: fc.constantFrom('', ...names),
      int: fc.constantFrom(0, 1, 2, -1, 100, 101, 102, 200, 201, 150, 9999),
      bool: fc.boolean(),
      instant: fc.constantFrom(...instants),
    }
    const value = values[kind] ?? fc.constant('')
    const one = (operator: string) => value.map(operand => ({ field, operator, operand }))
    const list = (operator: string) => fc.array(value, { maxLength: 3 }).map(operand => ({ field, operator, operand }))
    const isNull = fc.boolean().map(operand => ({ field, operator: '_is_null', operand }))
    const ordered = ['_gt', '_gte', '_lt', '_lte'].map(one)
    const like = ['_like', '_ilike', '_nlike'].map(operator =>
      fc.constantFrom('M%', '%a%', '_ill', '%\\\\_%', 'ä%', '').map(operand => ({ field, operator, operand })),
    )
    return fc.oneof(
      one('_eq'),
      one('_neq'),
      list('_in'),
      list('_nin'),
      isNull,
      ...ordered,
      ...(kind === 'text' ? like : []),
    )
  })
}

function filters(name: string, depth: number): fc.Arbitrary<Where> {
  const type = typeOf(name)
  if (depth === 0) return comparisons(type)
  const inner = filters(name, depth - 1)
  const related = Object.entries({ ...type.ones, ...type.lists }).map(([relation, [of]]) =>
    filters(of, depth - 1).map(where => ({ relation, of, where })),
  )
  return fc.oneof(
    comparisons(type),
    fc.array(inner, { maxLength: 2 }).map(and => ({ and })),
    fc.array(inner, { maxLength: 2 }).map(or => ({ or })),
    inner.map(not => ({ not })),
    ...related,
  )
}

function argsOf(name: string): fc.Arbitrary<Args> {
  const { fields, ones } = typeOf(name)
  const paths = [
    ...Object.keys(fields).map(field => [field]),
    ...Object.entries(ones).flatMap(([one, [of]]) => Object.keys(typeOf(of).fields).map(field => [one, field])),
  ]
  const term = fc.record({ path: fc.constantFrom(...paths), direction: fc.constantFrom(...directions) })
  return fc
    .record({
      where: fc.option(filters(name, 2)),
      order: fc.array(term, { maxLength: 2 }),
      limit: fc.option(fc.integer({ min: 0, max: 5 })),
      offset: fc.option(fc.integer({ min: 0, max: 3 })),
      distinct: fc.option(fc.constantFrom(...Object.keys(fields)), { freq: 5 }),
    })
    .map(({ where, order, limit, offset, distinct }) => {
      const first = distinct === null ? [] : [{ path: [distinct], direction: 'asc' }]
      return { where, order: [...first, ...order], limit, offset, distinct }
    })
}

function queryOf(name: string, depth: number): fc.Arbitrary<Query> {
  const type = typeOf(name)
  const ones = Object.entries(type.ones).map(([one, [of]]) => ({
    name: one,
    type: of,
    fields: Object.keys(typeOf(of).fields),
  }))
  const lists = depth === 0 ? [] : Object.entries(type.lists)
  const nested = lists.map(([list, [of]]) => queryOf(of, depth - 1).map(query => ({ name: list, query })))
  return fc.record({
    type: fc.constant(name),
    args: argsOf(name),
    isAggregate: fc.boolean(),
    fields: someOf(Object.keys(type.fields), 3).map(some => (some.length === 0 ? [type.key] : some)),
    ones: someOf(ones),
    lists: nested.length === 0 ? fc.constant([]) : fc.tuple(...nested).map(all => all.slice(0, 2)),
  })
}

/** Queries of every type, three levels deep. */
export const queries = fc.constantFrom(...Object.keys(types)).chain(name => queryOf(name, 2))

function whereText(where: Where): string {
  if ('and' in where) return `{_and: [${where.and.map(whereText).join(', ')}]}`
  if ('or' in where) return `{_or: [${where.or.map(whereText).join(', ')}]}`
  if ('not' in where) return `{_not: ${whereText(where.not)}}`
  if ('relation' in where) return `{${where.relation}: ${whereText(where.where)}}`
  return `{${where.field}: {${where.operator}: ${JSON.stringify(where.operand)}}}`
}

function argsText({ where, order, limit, offset, distinct }: Args): string {
  const orders = order.map(({ path, direction }) => path.reduceRight((inner, name) => `{${name}: ${inner}}`, direction))
  const given = [
    ...(where ? [`where: ${whereText(where)}`] : []),
    ...(orders.length > 0 ? [`order_by: [${orders.join(', ')}]`] : []),
    ...(limit === null ? [] : [`limit: ${limit}`]),
    ...(offset === null ? [] : [`offset: ${offset}`]),
    ...(distinct === null ? [] : [`distinct_on: [${distinct}]`]),
  ]
  return given.length > 0 ? `(${given.join(', ')})` : ''
}

function numbersOf(type: Type): readonly string[] {
  return Object.entries(type.fields).flatMap(([field, kind]) => (kind === 'int' ? [field] : []))
}

function fieldText(name: string, query: Query): string {
  const selected = [
    ...query.fields,
    ...query.ones.map(one => `${one.name} { ${one.fields.join(' ')} }`),
    ...query.lists.map(list => fieldText(list.name, list.query)),
  ].join(' ')
  if (!query.isAggregate) return `${name}${argsText(query.args)} { ${selected} }`
  const numbers = numbersOf(typeOf(query.type)).join(' ')
  const figures = numbers === '' ? 'count' : `count sum { ${numbers} } min { ${numbers} } max { ${numbers} }`
  return `${name}_aggregate${argsText(query.args)} { aggregate { ${figures} } nodes { ${selected} } }`
}

export function textOf(query: Query): string {
  return `{ ${fieldText(query.type, query)} }`
}

type Truth = boolean | null

const compare = (a: Scalar, b: Scalar): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b)

function like(value: string, pattern: string, flags: string): boolean {
  let source = ''
  for (let i = 0; i < pattern.length; i++) {
    const sign = pattern.charAt(i)
    if (sign === '\\') source += `\\${pattern.charAt(++i)}`
    else source += sign === '%' ? '.*' : sign === '_' ? '.' : sign
  }
  return new RegExp(`^${source}$`, `su${flags}`).test(value)
}

function holds(where: Where, row: Row, type: Type, plant: Plant): Truth {
  if ('and' in where) {
    const all = new Set(where.and.map(each => holds(each, row, type, plant)))
    if (all.has(false)) return false
    return all.has(null) ? null : true
  }
  if ('or' in where) {
    const all = new Set(where.or.map(each => holds(each, row, type, plant)))
    if (all.has(true)) return true
    return all.has(null) ? null : false
  }
  if ('not' in where) {
    const inner = holds(where.not, row, type, plant)
    return inner === null ? null : !inner
  }
  if ('relation' in where)
    return related(where.relation, row, type, plant).some(
      other => holds(where.where, other, typeOf(where.of), plant) === true,
    )
  const value = row[where.field] ?? null
  const { operator, operand } = where
  if (operator === '_is_null') return (value === null) === operand
  if (value === null) return null
  const list: readonly Scalar[] = isList(operand) ? operand : []
  const one = isList(operand) ? null : operand
  switch (operator) {
    case '_eq':
      return value === one
    case '_neq':
      return value !== one
    case '_gt':
      return compare(value, one) > 0
    case '_gte':
      return compare(value, one) >= 0
    case '_lt':
      return compare(value, one) < 0
    case '_lte':
      return compare(value, one) <= 0
    case '_in':
      return list.includes(value)
    case '_nin':
      return !list.includes(value)
    case '_like':
      return like(String(value), String(one), '')
    case '_nlike':
      return !like(String(value), String(one), '')
    default:
      return like(String(value), String(one), 'i')
  }
}

function isList(operand: Scalar | readonly Scalar[]): operand is readonly Scalar[] {
  return Array.isArray(operand)
}

function related(relation: string, row: Row, type: Type, plant: Plant): readonly Row[] {
  const [of, own, their] = type.ones[relation] ?? type.lists[relation] ?? ['', '', '']
  return (plant.rows[of] ?? []).filter(other => row[own] !== null && other[their] === row[own])
}

function valueAt(path: readonly string[], row: Row, type: Type, plant: Plant): Scalar {
  const [first = '', ...rest] = path
  if (rest.length === 0) return row[first] ?? null
  const [other] = related(first, row, type, plant)
  return other ? valueAt(rest, other, typeOf(type.ones[first]?.[0] ?? ''), plant) : null
}

function page(rows: readonly Row[], args: Args, type: Type, plant: Plant): readonly Row[] {
  const { where, limit, offset, distinct } = args
  const own = args.order.length === 0 ? [{ path: [type.order], direction: 'asc' }] : []
  const order = [...args.order, ...own, { path: [type.key], direction: 'asc' }]
  const kept = rows.filter(row => where === null || holds(where, row, type, plant) === true)
  const sorted = kept.toSorted((a, b) => {
    for (const { path, direction } of order) {
      const [x, y] = [valueAt(path, a, type, plant), valueAt(path, b, type, plant)]
      if (x === y) continue
      const nullsFirst = direction === 'desc' || direction.endsWith('nulls_first')
      if (x === null) return nullsFirst ? -1 : 1
      if (y === null) return nullsFirst ? 1 : -1
      const way = compare(x, y)
      if (way !== 0) return direction.startsWith('desc') ? -way : way
    }
    return 0
  })
  const seen = new Set<Scalar>()
  const unique =
    distinct === null
      ? sorted
      : sorted.filter(row => {
          const value = row[distinct] ?? null
          return seen.has(value) ? false : Boolean(seen.add(value))
        })
  return unique.slice(offset ?? 0, limit === null ? undefined : (offset ?? 0) + limit)
}

function shown(row: Row, query: Query, plant: Plant): Record<string, unknown> {
  const type = typeOf(query.type)
  return {
    ...Object.fromEntries(query.fields.map(field => [field, row[field] ?? null])),
    ...Object.fromEntries(
      query.ones.map(one => {
        const [other] = related(one.name, row, type, plant)
        return [one.name, other ? Object.fromEntries(one.fields.map(field => [field, other[field] ?? null])) : null]
      }),
    ),
    ...Object.assign(
      {},
      ...query.lists.map(list => listed(list.name, list.query, related(list.name, row, type, plant), plant)),
    ),
  }
}

function listed(name: string, query: Query, rows: readonly Row[], plant: Plant): Record<string, unknown> {
  const type = typeOf(query.type)
  const found = page(rows, query.args, type, plant)
  const nodes = found.map(row => shown(row, query, plant))
  if (!query.isAggregate) return { [name]: nodes }
  const numbers = numbersOf(type)
  const figures = (fold: (values: readonly number[]) => number | null) =>
    Object.fromEntries(
      numbers.map(field => {
        const values = found.flatMap(row => (typeof row[field] === 'number' ? [row[field]] : []))
        return [field, values.length === 0 ? null : fold(values)]
      }),
    )
  const aggregate = {
    count: found.length,
    ...(numbers.length > 0 && {
      sum: figures(values => values.reduce((a, b) => a + b, 0)),
      min: figures(values => Math.min(...values)),
      max: figures(values => Math.max(...values)),
    }),
  }
  return { [`${name}_aggregate`]: { aggregate, nodes } }
}

/** The data of a query's answer. */
export function evaluate(query: Query, plant: Plant): Record<string, unknown> {
  return listed(query.type, query, plant.rows[query.type] ?? [], plant)
}
