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
import { ofCaller } from '../compile/problem.ts'
import { introspect, schemaFields } from './introspect.ts'
import {
  groupedFields,
  type SameFields,
  type Selected,
  selectedOf,
  type SelectionContext,
  typeNameField,
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

/**
 * Runs an operation by its root fields, side by side. The values below them come from the store as the schema says: to walk through
 * them once more, as graphql's own `execute` does, would take more time than the store.
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
  const result = await resolveAll({ schema, type, context, resolve, oneByOne: createSerial() }, fields)
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

/** Everything that root fields are found with. */
interface Roots {
  readonly schema: GraphQLSchema
  readonly type: GraphQLObjectType
  readonly context: SelectionContext
  readonly resolve: RootResolver
  /** Fields of the schema are told one after the other: side by side they would share no turns. */
  readonly oneByOne: <T>(task: () => Promise<T>) => Promise<T>
}

async function resolveAll(roots: Roots, fields: ReadonlyMap<string, SameFields>): Promise<ExecutionResult> {
  const errors: GraphQLError[] = []
  try {
    const entries = [...fields].map(async ([key, nodes]) => {
      if (nodes[0].name.value === typeNameField) return [key, roots.type.name] as const
      const field = rootField(roots.type, nodes)
      try {
        return [key, await valueOf(key, nodes, field, roots)] as const
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

function rootField(type: GraphQLObjectType, [{ name }]: SameFields): GraphQLField<unknown, unknown> {
  const field = schemaFields.get(name.value) ?? type.getFields()[name.value]
  if (!field) throw new Error(`invariant: ${type.name} has no field ${name.value}`)
  return field
}

async function valueOf(
  key: string,
  nodes: SameFields,
  field: GraphQLField<unknown, unknown>,
  { schema, context, resolve, oneByOne }: Roots,
): Promise<unknown> {
  try {
    if (isOfSchema(nodes)) return await oneByOne(() => introspect(schema, field, nodes, context))
    return await resolve(selectedOf(key, nodes, field, context))
  } catch (error) {
    throw ofCaller(error)
  }
}

/** The root fields by the names that they are answered under; the fault of a directive's argument, which only its value shows. */
function fieldsOf({ selectionSet }: OperationDefinitionNode, context: SelectionContext) {
  try {
    return groupedFields(selectionSet.selections, context)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return ofCaller(error)
  }
}

function isOfSchema([{ name }]: SameFields): boolean {
  return schemaFields.has(name.value)
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const named = definitions.flatMap(node =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
  )
  return Object.fromEntries(named)
}
