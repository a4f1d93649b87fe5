import * as fc from 'fast-check'
import { names, type Plant, type Related, type Row, type Scalar, type Type, typeOf, types } from './naive-plant.ts'

/* Evaluates GraphQL queries on a plant in memory by walking through its rows. It shares no code with the product. */
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
  const nested = depth === 0 ? [] : Object.entries(type.lists)
  const lists = fc
    .subarray(nested, { maxLength: Math.min(2, nested.length) })
    .chain(some =>
      fc.tuple(...some.map(([list, [of]]) => queryOf(of, depth - 1).map(query => ({ name: list, query })))),
    )
  return fc.record({
    type: fc.constant(name),
    args: argsOf(name),
    isAggregate: fc.boolean(),
    fields: someOf(Object.keys(type.fields), 3).map(some =>
      some.length === 0 ? Object.keys(type.fields).slice(0, 1) : some,
    ),
    ones: someOf(ones),
    lists,
  })
}

/** Random queries of every type, three levels deep. */
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

function orderedOf(type: Type): readonly string[] {
  return Object.entries(type.fields).flatMap(([field, kind]) => (kind === 'id' || kind === 'bool' ? [] : [field]))
}

function fieldText(name: string, query: Query): string {
  const selected = [
    ...query.fields,
    ...query.ones.map(one => `${one.name} { ${one.fields.join(' ')} }`),
    ...query.lists.map(list => fieldText(list.name, list.query)),
  ].join(' ')
  if (!query.isAggregate) return `${name}${argsText(query.args)} { ${selected} }`
  const type = typeOf(query.type)
  const numbers = numbersOf(type).join(' ')
  const ordered = orderedOf(type).join(' ')
  const [first = '', second = ''] = Object.keys(type.fields).toReversed()
  const counts = [
    'count',
    `some: count(columns: [${first}])`,
    `distinct: count(columns: [${first}], distinct: true)`,
    `pairs: count(columns: [${first}, ${second}], distinct: true)`,
  ].join(' ')
  const figures = `${counts} min { ${ordered} } max { ${ordered} } ${numbers === '' ? '' : `sum { ${numbers} } avg { ${numbers} }`}`
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

/** Returns the rows to which a relation of a row leads. */
export function related(relation: string, row: Row, type: Type, plant: Plant): readonly Row[] {
  const found: Related = type.ones[relation] ?? type.lists[relation] ?? ['', '', '']
  const [of, own, their, between] = found
  const rows = plant.rows[of] ?? []
  if (!between) return rows.filter(other => row[own] !== null && other[their] === row[own])
  const [through, near, far] = between
  const links = (plant.rows[through] ?? []).filter(link => link[near] === row[own])
  return rows.filter(other => links.some(link => link[far] === other[their]))
}

function valueAt(path: readonly string[], row: Row, type: Type, plant: Plant): Scalar {
  const [first = '', ...rest] = path
  if (rest.length === 0) return row[first] ?? null
  const [other] = related(first, row, type, plant)
  return other ? valueAt(rest, other, typeOf(type.ones[first]?.[0] ?? ''), plant) : null
}

function page(rows: readonly Row[], args: Args, type: Type, plant: Plant): readonly Row[] {
  const { where, limit, offset, distinct } = args
  const rising = (field: string) => ({ path: [field], direction: 'asc' })
  const own = args.order.length === 0 ? type.order : []
  const order = [...args.order, ...[...own, ...type.key].map(rising)]
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
  const figures = (fields: readonly string[], fold: (values: readonly Scalar[]) => Scalar) =>
    Object.fromEntries(
      fields.map(field => {
        const values = found.map(row => row[field] ?? null).filter(value => value !== null)
        return [field, values.length === 0 ? null : fold(values)]
      }),
    )
  const sumOf = (values: readonly Scalar[]) => values.reduce((sum: number, value) => sum + Number(value), 0)
  const least = (values: readonly Scalar[]) => values.toSorted(compare)[0] ?? null
  const most = (values: readonly Scalar[]) => values.toSorted(compare).at(-1) ?? null
  const [first = '', second = ''] = Object.keys(type.fields).toReversed()
  const [numbers, ordered] = [numbersOf(type), orderedOf(type)]
  const there = found.map(row => row[first] ?? null).filter(value => value !== null)
  const aggregate = {
    count: found.length,
    some: there.length,
    distinct: new Set(there).size,
    pairs: new Set(found.map(row => JSON.stringify([row[first], row[second]]))).size,
    min: figures(ordered, least),
    max: figures(ordered, most),
    ...(numbers.length > 0 && {
      sum: figures(numbers, sumOf),
      avg: figures(numbers, values => sumOf(values) / values.length),
    }),
  }
  return { [`${name}_aggregate`]: { aggregate, nodes } }
}

/** Evaluates a query; returns the data of the response. */
export function evaluate(query: Query, plant: Plant): Record<string, unknown> {
  return listed(query.type, query, plant.rows[query.type] ?? [], plant)
}
