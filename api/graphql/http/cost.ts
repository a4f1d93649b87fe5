import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLObjectType,
  GraphQLObjectType as ObjectType,
  type GraphQLSchema,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { getOrCreate } from '../../../shared/collections/get-or-create.ts'
import { problem } from '../compile/problem.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { reportRoots } from '../model/reports.ts'
import { introspectionCost, type IntrospectionCost } from './introspection-cost.ts'

/** Depth and size of an operation whose fragments are expanded. */
interface Cost {
  readonly depth: number
  readonly lists: number
  readonly fields: number
  readonly introspection: number
}

/** A report counts as this number of lists, because it runs several large statements. */
const listsOfReport = 10

const nothing: Cost = { depth: 0, lists: 0, fields: 0, introspection: 0 }

/** The estimator of introspection costs of each schema. */
const introspectionCosts = new WeakMap<GraphQLSchema, IntrospectionCost>()

/**
 * Throws a `GraphQLError` if an operation exceeds a limit of depth, lists, fields or introspection. The document is
 * valid.
 */
export function rejectCostlyOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  limits: Pick<GraphqlLimits, 'depth' | 'lists' | 'fields'>,
): void {
  const root = schema.getRootType(operation.operation)
  if (!root) return
  const ofSchema = getOrCreate(introspectionCosts, schema, () => introspectionCost(schema))
  const fragments = { ...fragmentsOf(document), ofSchema }
  const { depth, lists, fields, introspection } = costOf(root, operation.selectionSet, fragments)
  if (depth > limits.depth)
    throw problem('depth-limit-exceeded', `The query has ${depth} levels; the maximum is ${limits.depth}`)
  if (lists > limits.lists)
    throw problem('node-limit-exceeded', `The query has ${lists} lists; the maximum is ${limits.lists}`)
  if (fields > limits.fields)
    throw problem('node-limit-exceeded', `The query has ${fields} fields; the maximum is ${limits.fields}`)
  if (introspection > ofSchema.max)
    throw problem('node-limit-exceeded', 'The introspection query is too large: split it into several queries')
}

interface Fragments {
  readonly named: ReadonlyMap<string, FragmentDefinitionNode>
  /** Cost of each fragment, so that it is computed only once. */
  readonly costs: Map<string, Cost>
  readonly ofSchema: IntrospectionCost
}

function fragmentsOf({ definitions }: DocumentNode): Omit<Fragments, 'ofSchema'> {
  const named = definitions.flatMap(node =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
  )
  return { named: new Map(named), costs: new Map() }
}

function costOf(type: GraphQLObjectType, { selections }: SelectionSetNode, fragments: Fragments): Cost {
  return selections.reduce<Cost>((sum, node) => {
    if (node.kind === Kind.FIELD) return addCosts(sum, fieldCost(type, node, fragments))
    if (node.kind === Kind.INLINE_FRAGMENT) return addCosts(sum, costOf(type, node.selectionSet, fragments))
    return addCosts(sum, fragmentCost(type, node.name.value, fragments))
  }, nothing)
}

function fragmentCost(type: GraphQLObjectType, name: string, fragments: Fragments): Cost {
  const known = fragments.costs.get(name)
  if (known) return known
  const definition = fragments.named.get(name)
  const cost = definition ? costOf(type, definition.selectionSet, fragments) : nothing
  fragments.costs.set(name, cost)
  return cost
}

/**
 * Cost of a field and of all fields below it. `__schema` and `__type` count as one field each; the fields below them
 * count as introspection.
 */
function fieldCost(type: GraphQLObjectType, node: FieldNode, fragments: Fragments): Cost {
  const {
    name: { value: name },
    selectionSet: selections,
  } = node
  if (name === '__typename') return { ...nothing, fields: 1 }
  if (name.startsWith('__'))
    return { ...nothing, fields: 1, introspection: fragments.ofSchema.costOf(node, fragments.named) }
  const field = type.getFields()[name]
  const inner = field && getNamedType(field.type)
  const isObject = inner instanceof ObjectType
  const { depth, lists, fields, introspection } =
    isObject && selections ? costOf(inner, selections, fragments) : nothing
  const isList = isObject && (isListType(field && getNullableType(field.type)) || name.endsWith('_aggregate'))
  const own = Object.hasOwn(reportRoots, name) ? listsOfReport : isList ? 1 : 0
  return { depth: depth + (isObject ? 1 : 0), lists: lists + own, fields: fields + 1, introspection }
}

function addCosts(a: Cost, b: Cost): Cost {
  return {
    depth: Math.max(a.depth, b.depth),
    lists: a.lists + b.lists,
    fields: a.fields + b.fields,
    introspection: a.introspection + b.introspection,
  }
}
