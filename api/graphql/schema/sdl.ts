import { columnOf, type Column, type Entity, type ScalarName } from '../model/entity.ts'
import { functions, type FunctionField } from '../model/functions.ts'
import { entityNamed, roots, types } from '../model/entities/model.ts'
import { block, descriptionText } from './blocks.ts'
import { reportFields, reportTypes } from './report-sdl.ts'

/** Comparison operators of all scalar types; their operand has the compared type. */
const comparisons = ['_eq', '_neq', '_gt', '_gte', '_lt', '_lte'] as const
const listComparisons = ['_in', '_nin'] as const
const textComparisons = ['_like', '_nlike', '_ilike', '_nilike'] as const

const scalars: readonly ScalarName[] = ['uuid', 'String', 'Int', 'bigint', 'numeric', 'Boolean', 'timestamptz']
const numbers: ReadonlySet<ScalarName> = new Set(['Int', 'bigint', 'numeric'])

function isNumber({ type }: Column): boolean {
  return numbers.has(type)
}

/** Whether a column has a minimum and a maximum. */
function isOrdered({ type }: Column): boolean {
  return type !== 'Boolean' && type !== 'uuid'
}

function sumType({ type }: Column): ScalarName {
  return type === 'Int' ? 'bigint' : type
}

/** The columns of an entity that the schema contains. */
function shownColumns(entity: Entity): readonly (readonly [string, Column])[] {
  return Object.entries(entity.columns).filter(([, { isHidden }]) => !isHidden)
}

/** Pure: the schema in GraphQL's schema language, generated from the model. */
export function schemaText(entities: readonly Entity[] = types): string {
  return [
    ...['uuid', 'timestamptz', 'numeric', 'bigint'].map(name => `scalar ${name}`),
    orderByEnum,
    ...scalars.map(comparisonInput),
    ...entities.flatMap(typesOf),
    ...Object.entries(functions).flatMap(([name, field]) => functionTypes(name, field)),
    ...reportTypes(),
    block('type Query', [...listRoots(), ...functionRoots(), ...reportFields()]),
    block('type Subscription', listRoots()),
  ].join('\n\n')
}

const orderByEnum = `"Rows without a value are last in ascending and first in descending order by default"
enum order_by {
  asc
  asc_nulls_first
  asc_nulls_last
  desc
  desc_nulls_first
  desc_nulls_last
}`

function comparisonInput(type: ScalarName): string {
  return block(`input ${type}_comparison_exp`, [
    ...comparisons.map(name => `${name}: ${type}`),
    ...listComparisons.map(name => `${name}: [${type}!]`),
    '_is_null: Boolean',
    ...(type === 'String' ? textComparisons.map(name => `${name}: String`) : []),
  ])
}

function typesOf(entity: Entity): readonly string[] {
  const { name, description, relations } = entity
  const columns = shownColumns(entity)
  const related = Object.entries(relations).map(([field, { kind, to, description }]) => ({
    field,
    kind,
    description,
    target: entityNamed(to),
  }))
  const ones = related.filter(({ kind }) => kind === 'object')
  const lists = related.filter(({ kind }) => kind === 'list')
  return [
    block(`${descriptionText(description)}type ${name}`, [
      ...columns.map(([field, column]) => `${descriptionText(column.description)}${field}: ${outputType(column)}`),
      ...ones.map(({ field, target, description }) => `${descriptionText(description)}${field}: ${target.name}`),
      ...lists.flatMap(({ field, target, description }) => listFields(field, target, description)),
    ]),
    block(`input ${name}_bool_exp`, [
      `_and: [${name}_bool_exp!]`,
      `_or: [${name}_bool_exp!]`,
      `_not: ${name}_bool_exp`,
      ...columns.map(([field, { type }]) => `${field}: ${type}_comparison_exp`),
      ...related.map(({ field, target }) => `${field}: ${target.name}_bool_exp`),
    ]),
    block(`input ${name}_order_by`, [
      ...columns.map(([field]) => `${field}: order_by`),
      ...ones.map(({ field, target }) => `${field}: ${target.name}_order_by`),
    ]),
    block(
      `enum ${name}_select_column`,
      columns.map(([field]) => field),
    ),
    ...aggregateTypes(entity),
  ]
}

function aggregateTypes(entity: Entity): readonly string[] {
  const { name } = entity
  const columns = shownColumns(entity)
  const summed = columns.filter(([, column]) => isNumber(column))
  const ordered = columns.filter(([, column]) => isOrdered(column))
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['sum', summed.map(([field, column]) => `${field}: ${sumType(column)}`)],
    ['avg', summed.map(([field]) => `${field}: Float`)],
    ['min', ordered.map(([field, { type }]) => `${field}: ${type}`)],
    ['max', ordered.map(([field, { type }]) => `${field}: ${type}`)],
  ]
  const present = parts.filter(([, fields]) => fields.length > 0)
  return [
    block(`type ${name}_aggregate`, [`aggregate: ${name}_aggregate_fields`, `nodes: [${name}!]!`]),
    block(`type ${name}_aggregate_fields`, [
      `count(columns: [${name}_select_column!], distinct: Boolean): Int!`,
      ...present.map(([part]) => `${part}: ${name}_${part}_fields`),
    ]),
    ...present.map(([part, fields]) => block(`type ${name}_${part}_fields`, fields)),
  ]
}

function functionTypes(name: string, { type, typeDescription, args, fields }: FunctionField): readonly string[] {
  return [
    block(
      `input ${name}_args`,
      Object.entries(args).map(
        ([field, column]) => `${descriptionText(column.description)}${field}: ${outputType(column)}`,
      ),
    ),
    block(
      `${descriptionText(typeDescription)}type ${type}`,
      Object.entries(fields).map(
        ([field, column]) => `${descriptionText(column.description)}${field}: ${outputType(column)}`,
      ),
    ),
  ]
}

/** The root fields that queries and subscriptions have in common. */
function listRoots(): readonly string[] {
  return Object.entries(roots).flatMap(([field, entity]) =>
    listFields(field, entity, entity.description).concat(`${field}_by_pk(${keyArguments(entity)}): ${entity.name}`),
  )
}

function functionRoots(): readonly string[] {
  return Object.entries<FunctionField>(functions).map(
    ([name, { description, type }]) => `${descriptionText(description)}${name}(args: ${name}_args!): [${type}!]!`,
  )
}

function keyArguments(entity: Entity): string {
  return entity.key.map(name => `${name}: ${columnOf(entity, name).type}!`).join(', ')
}

function listFields(field: string, { name }: Entity, description: string): readonly string[] {
  const args = [
    `distinct_on: [${name}_select_column!]`,
    'limit: Int',
    'offset: Int',
    `order_by: [${name}_order_by!]`,
    `where: ${name}_bool_exp`,
  ].join(', ')
  return [
    `${descriptionText(description)}${field}(${args}): [${name}!]!`,
    `${field}_aggregate(${args}): ${name}_aggregate!`,
  ]
}

function outputType({ type, isNullable }: Column): string {
  return isNullable ? type : `${type}!`
}
