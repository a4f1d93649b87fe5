import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  type FragmentDefinitionNode,
  getVariableValues,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import {
  groupedFields,
  type SameFields,
  type Selected,
  selectedOf,
  type SelectionContext,
  typeNameOf,
} from './selection.ts'

/** An operation of a document that is valid. */
export interface Executed {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Finds the value of a root field: all that is selected of it, as it is answered, with the fields in their order. */
export type RootResolver = (field: Selected) => Promise<unknown>

const mostFaults = 50
const typeNameField = '__typename'

/**
 * Runs an operation by its root fields, side by side. The values below them come from the store as the schema says: to walk through
 * them once more, as graphql's own `execute` does, would take more time than the store. That one still answers introspection.
 */
export async function executeOperation(
  schema: GraphQLSchema,
  { document, operation, variables }: Executed,
  resolve: RootResolver,
): Promise<ExecutionResult> {
  const known = introspections.find(each => each.operation === operation)
  if (known) return known.told
  const type = schema.getRootType(operation.operation)
  if (!type) throw new Error(`invariant: the schema has a ${operation.operation}`)
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: mostFaults,
  })
  if (errors) return { errors }
  const context = { fragments: fragmentsOf(document), variableValues: coerced }
  const fields = fieldsOf(operation, context)
  if (fields instanceof GraphQLError) return { data: null, errors: [fields] }
  const found = await resolveAll(type, fields, context, resolve)
  if (!hasIntrospection(fields) || found.data === null) return found
  // The values that are known are given to it, so that nothing is asked twice.
  const { name } = operation
  const told = await execute({
    schema,
    document,
    operationName: name?.value,
    variableValues: variables,
    rootValue: found.data,
    fieldResolver: (source: unknown, _args, _context, { path }) => (isObject(source) ? source[path.key] : undefined),
  })
  const result = { ...told, ...(found.errors && { errors: [...(told.errors ?? []), ...found.errors] }) }
  const isConstant = (operation.variableDefinitions ?? []).length === 0 && [...fields.values()].every(isOfSchema)
  if (isConstant)
    introspections.splice(
      0,
      introspections.length,
      { operation, told: result },
      ...introspections.slice(0, mostKept - 1),
    )
  return result
}

/** The latest answers that tell of the schema alone: tools send one query again and again, whose document the server keeps. */
const introspections: { readonly operation: OperationDefinitionNode; readonly told: ExecutionResult }[] = []
const mostKept = 4

interface Found extends ExecutionResult {
  readonly data: Record<string, unknown> | null
}

async function resolveAll(
  type: GraphQLObjectType,
  fields: ReadonlyMap<string, SameFields>,
  context: SelectionContext,
  resolve: RootResolver,
): Promise<Found> {
  const errors: GraphQLError[] = []
  try {
    const entries = [...fields].map(async ([key, nodes]) => {
      if (nodes[0].name.value === typeNameField) return [key, typeNameOf(key, type).typeName] as const
      const field = type.getFields()[nodes[0].name.value]
      // Introspection is answered elsewhere.
      if (!field) return [key, null] as const
      try {
        return [key, await resolve(selectedOf(key, nodes, field, context))] as const
      } catch (thrown) {
        const error = locatedError(thrown, nodes, [key])
        if (isNonNullType(field.type)) throw error
        errors.push(error)
        return [key, null] as const
      }
    })
    const data = Object.fromEntries(await Promise.all(entries))
    return errors.length > 0 ? { data, errors } : { data }
  } catch (error) {
    if (error instanceof GraphQLError) return { data: null, errors: [...errors, error] }
    throw error
  }
}

/** The root fields by the names that they are answered under; the fault of a directive's argument, which only its value shows. */
function fieldsOf({ selectionSet }: OperationDefinitionNode, context: SelectionContext) {
  try {
    return groupedFields(selectionSet.selections, context)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { message, nodes = null } = error
    return new GraphQLError(message, { nodes, extensions: { code: 'validation-failed' } })
  }
}

function hasIntrospection(fields: ReadonlyMap<string, SameFields>): boolean {
  return [...fields.values()].some(isOfSchema)
}

function isOfSchema([{ name }]: SameFields): boolean {
  return name.value.startsWith('__') && name.value !== typeNameField
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const named = definitions.flatMap(node =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
  )
  return Object.fromEntries(named)
}
