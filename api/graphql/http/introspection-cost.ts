import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLInputObjectType,
  GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  parse,
  getIntrospectionQuery,
  type SelectionSetNode,
} from 'graphql'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * Assumed number of items in each list of an introspection: the largest number of any type, and the mean for the types
 * below `types`.
 */
interface Sizes {
  readonly max: Readonly<Record<string, number>>
  readonly mean: Readonly<Record<string, number>>
}

/** Factor between the cost of the standard introspection query and the limit, because tools send other queries. */
const headroom = 1.5

/** Estimates the cost of introspection fields (`__schema`, `__type`): about the number of fields in the response. */
export interface IntrospectionCost {
  /** Maximum cost: 1.5 times the cost of the standard introspection query. */
  readonly max: number
  /** Pure: the cost of a field and of all fields below it. The document is valid. */
  costOf(field: FieldNode, fragments: Fragments): number
}

/** Creates the estimator of introspection costs of a schema. */
export function introspectionCost(schema: GraphQLSchema): IntrospectionCost {
  const sizes = sizesOf(schema)
  const costOf = (field: FieldNode, fragments: Fragments) =>
    costOfField(field, { sizes, fragments, known: new Map() }, false)
  return { max: headroom * standardQueryCost(costOf), costOf }
}

function standardQueryCost(costOf: IntrospectionCost['costOf']): number {
  const all = {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  }
  const { definitions } = parse(getIntrospectionQuery({ ...all, oneOf: true }))
  const fragments = new Map(
    definitions.flatMap(node => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  )
  const operation = definitions.find(node => node.kind === Kind.OPERATION_DEFINITION)
  const [field] = operation?.selectionSet.selections ?? []
  if (field?.kind !== Kind.FIELD) throw new Error('invariant: the introspection query selects a field')
  return costOf(field, fragments)
}

interface Walk {
  readonly sizes: Sizes
  readonly fragments: Fragments
  /** Cost of each fragment, within `types` and elsewhere, so that it is computed only once. */
  readonly known: Map<string, number>
}

function costOfField({ name: { value: name }, selectionSet }: FieldNode, walk: Walk, isOfTypes: boolean): number {
  const { mean, max } = walk.sizes
  const items = (isOfTypes ? mean : max)[name] ?? 1
  const isBelowTypes = name === 'types'
  return items * (1 + (selectionSet ? costOfSelections(selectionSet, walk, isBelowTypes) : 0))
}

function costOfSelections({ selections }: SelectionSetNode, walk: Walk, isOfTypes: boolean): number {
  return selections.reduce((sum, node) => {
    if (node.kind === Kind.FIELD) return sum + costOfField(node, walk, isOfTypes)
    if (node.kind === Kind.INLINE_FRAGMENT) return sum + costOfSelections(node.selectionSet, walk, isOfTypes)
    return sum + costOfFragment(node.name.value, walk, isOfTypes)
  }, 0)
}

function costOfFragment(name: string, walk: Walk, isOfTypes: boolean): number {
  const key = `${isOfTypes ? 'types' : ''} ${name}`
  const known = walk.known.get(key)
  if (known !== undefined) return known
  const definition = walk.fragments.get(name)
  const cost = definition ? costOfSelections(definition.selectionSet, walk, isOfTypes) : 0
  walk.known.set(key, cost)
  return cost
}

function sizesOf(schema: GraphQLSchema): Sizes {
  const types = Object.values(schema.getTypeMap())
  const fields = types.map(type => (type instanceof GraphQLObjectType ? Object.keys(type.getFields()).length : 0))
  const inputs = types.map(type => (type instanceof GraphQLInputObjectType ? Object.keys(type.getFields()).length : 0))
  const values = types.map(type => ('getValues' in type ? type.getValues().length : 0))
  const whole = { types: types.length, directives: schema.getDirectives().length, args: 5 }
  return {
    max: { ...whole, fields: Math.max(...fields), inputFields: Math.max(...inputs), enumValues: Math.max(...values) },
    mean: { ...whole, fields: meanOf(fields), inputFields: meanOf(inputs), enumValues: meanOf(values) },
  }
}

function meanOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length
}
