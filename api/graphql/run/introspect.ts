import {
  type FieldNode,
  getArgumentValues,
  getNamedType,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { groupedFields, type SelectionContext, typeNameField } from './selection.ts'

type SchemaField = GraphQLField<unknown, unknown>

/** The root fields of introspection. */
export const introspectionFields: ReadonlyMap<string, SchemaField> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map(field => [field.name, field]),
)

/**
 * Resolves an introspection field as graphql-js's `execute` does, but yields to the event loop. Rejects with a
 * `GraphQLError` if an argument is invalid.
 */
export async function introspect(
  schema: GraphQLSchema,
  field: SchemaField,
  nodes: readonly FieldNode[],
  context: SelectionContext,
): Promise<unknown> {
  const slice = new TimeSlice()
  const steps = resolveSteps(stepOf('', field, nodes, context), schema, { schema, context })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slice.isOver) await slice.next()
  }
}

interface Walk {
  readonly schema: GraphQLSchema
  readonly context: SelectionContext
}

/** A selected field of the objects of an introspection. */
interface Step {
  readonly key: string
  readonly field: SchemaField
  readonly args: Readonly<Record<string, unknown>>
  readonly nodes: readonly FieldNode[]
  /** The fields selected below it; set when its first object is resolved. */
  below: readonly (Step | TypeName)[] | null
}

/** A selected `__typename`, with its response name. */
interface TypeName {
  readonly key: string
  readonly typeName: string
}

function stepOf(key: string, field: SchemaField, nodes: readonly FieldNode[], { variableValues }: SelectionContext) {
  const [node] = nodes
  if (!node) throw new Error('invariant: a field has at least one node')
  return { key, field, args: getArgumentValues(field, node, variableValues), nodes, below: null } satisfies Step
}

function stepsBelow(step: Step, type: GraphQLObjectType, { context }: Walk): readonly (Step | TypeName)[] {
  const selections = step.nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  return [...groupedFields(selections, context)].map(([key, nodes]) => {
    const name = nodes[0].name.value
    if (name === typeNameField) return { key, typeName: type.name }
    const field = type.getFields()[name]
    if (!field) throw new Error(`invariant: ${type.name} has no field ${name}`)
    return stepOf(key, field, nodes, context)
  })
}

/** A generator that yields between small steps of work. */
type Steps = Generator<void, unknown>

function* resolveSteps(step: Step, source: unknown, walk: Walk): Steps {
  const { field, args } = step
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- resolvers of introspection fields read only the schema
  const info = { schema: walk.schema } as GraphQLResolveInfo
  return yield* completeSteps(field.type, field.resolve?.(source, args, null, info), step, walk)
}

function* completeSteps(type: GraphQLOutputType, value: unknown, step: Step, walk: Walk): Steps {
  if (isNonNullType(type)) return yield* completeSteps(type.ofType, value, step, walk)
  if (value === null || value === undefined) return null
  if (isLeafType(type)) return type.serialize(value)
  if (isListType(type)) {
    const items: unknown[] = []
    for (const item of Array.isArray(value) ? value : [])
      items.push(yield* completeSteps(type.ofType, item, step, walk))
    return items
  }
  return yield* objectSteps(type, value, step, walk)
}

function* objectSteps(type: GraphQLOutputType, value: unknown, step: Step, walk: Walk): Steps {
  yield
  const named = getNamedType(type)
  if (!(named instanceof GraphQLObjectType)) throw new Error('invariant: introspection resolves objects')
  step.below ??= stepsBelow(step, named, walk)
  const entries: [string, unknown][] = []
  for (const each of step.below)
    entries.push([each.key, 'typeName' in each ? each.typeName : yield* resolveSteps(each, value, walk)])
  return Object.fromEntries(entries)
}
