import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  getVariableValues,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import { createSerial } from '../../../shared/async/serial.ts'
import { toCallerError } from '../compile/problem.ts'
import { introspect, introspectionFields } from './introspect.ts'
import {
  groupedFields,
  type FieldNodes,
  type Selected,
  selectedOf,
  type SelectionContext,
  typeNameField,
} from './selection.ts'

/** An operation of a validated document, with its variables. */
export interface ExecutableOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** The variables as the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Resolves a root field to its complete value: all selected fields, in the order of the selection. */
export type RootResolver = (field: Selected) => Promise<unknown>

/** Maximum number of errors of variables in a response. */
const maxVariableErrors = 50

/**
 * Runs the root fields of an operation in parallel. Their values already have the form of the response: completing them
 * field by field, as graphql-js's `execute` does, would take longer than the store.
 */
export async function executeOperation(
  schema: GraphQLSchema,
  { document, operation, variables }: ExecutableOperation,
  resolve: RootResolver,
): Promise<ExecutionResult> {
  const known = cachedIntrospections.find(each => each.operation === operation)
  if (known) return known.result
  const type = schema.getRootType(operation.operation)
  if (!type) throw new Error(`invariant: the schema has no type for ${operation.operation}`)
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: maxVariableErrors,
  })
  if (errors) return { errors }
  const context = { fragments: fragmentsOf(document), variableValues: coerced }
  const fields = fieldsOf(operation, context)
  if (fields instanceof GraphQLError) return { data: null, errors: [fields] }
  const result = await resolveAll({ schema, type, context, resolve, runSequentially: createSerial() }, fields)
  const isConstant = (operation.variableDefinitions ?? []).length === 0 && [...fields.values()].every(isIntrospection)
  if (isConstant)
    cachedIntrospections.splice(
      0,
      cachedIntrospections.length,
      { operation, result },
      ...cachedIntrospections.slice(0, maxCachedIntrospections - 1),
    )
  return result
}

/** The latest introspections: tools repeat the same query, and the server caches its document. */
const cachedIntrospections: { readonly operation: OperationDefinitionNode; readonly result: ExecutionResult }[] = []
const maxCachedIntrospections = 4

/** Schema, context and functions that resolve root fields. */
interface Roots {
  readonly schema: GraphQLSchema
  readonly type: GraphQLObjectType
  readonly context: SelectionContext
  readonly resolve: RootResolver
  /** Runs introspection fields one after the other, so that each has a full time slice. */
  readonly runSequentially: <T>(task: () => Promise<T>) => Promise<T>
}

async function resolveAll(roots: Roots, fields: ReadonlyMap<string, FieldNodes>): Promise<ExecutionResult> {
  const errors: GraphQLError[] = []
  try {
    const entries = [...fields].map(async ([key, nodes]) => {
      if (nodes[0].name.value === typeNameField) return [key, roots.type.name] as const
      const field = rootField(roots.type, nodes)
      try {
        return [key, await resolveField(key, nodes, field, roots)] as const
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

function rootField(type: GraphQLObjectType, [{ name }]: FieldNodes): GraphQLField<unknown, unknown> {
  const field = introspectionFields.get(name.value) ?? type.getFields()[name.value]
  if (!field) throw new Error(`invariant: ${type.name} has no field ${name.value}`)
  return field
}

async function resolveField(
  key: string,
  nodes: FieldNodes,
  field: GraphQLField<unknown, unknown>,
  { schema, context, resolve, runSequentially }: Roots,
): Promise<unknown> {
  try {
    if (isIntrospection(nodes)) return await runSequentially(() => introspect(schema, field, nodes, context))
    return await resolve(selectedOf(key, nodes, field, context))
  } catch (error) {
    throw toCallerError(error)
  }
}

/**
 * The selected root fields by response name, or the error of an invalid directive argument, which validation does not
 * detect if it is a variable.
 */
function fieldsOf({ selectionSet }: OperationDefinitionNode, context: SelectionContext) {
  try {
    return groupedFields(selectionSet.selections, context)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return toCallerError(error)
  }
}

function isIntrospection([{ name }]: FieldNodes): boolean {
  return introspectionFields.has(name.value)
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const named = definitions.flatMap(node =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
  )
  return Object.fromEntries(named)
}
