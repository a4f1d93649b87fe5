import {
  type DocumentNode,
  getOperationAST,
  getVariableValues,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  separateOperations,
  validate,
} from 'graphql'
import { toCallerError, problem } from '../compile/problem.ts'
import { rejectCostlyOperation } from '../http/cost.ts'
import { rejectBeforeValidation } from '../http/before-validation.ts'
import { toResponseError } from '../http/errors.ts'
import { type GraphqlLimits, maxQueryTokens } from '../../ports/graphql-limits.ts'

/** A validated operation, independent of company and variables. */
export interface Prepared {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly isSubscription: boolean
  /** The operation in canonical form, with its fragments and without its name: equal operations have equal texts. */
  readonly text: string
}

/** The request of one operation from a client. */
export interface OperationRequest {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The errors of a rejected operation. */
export class OperationRejected extends Error {
  override readonly name = 'OperationRejected'
  readonly errors: readonly GraphQLFormattedError[]

  constructor(errors: readonly unknown[]) {
    super('The operation was rejected')
    this.errors = errors.map(toResponseError)
  }
}

const maxErrors = 10

/** Parses and validates an operation; throws an `OperationRejected`. */
export function prepare(
  schema: GraphQLSchema,
  { query, operationName }: Pick<OperationRequest, 'query' | 'operationName'>,
  limits: GraphqlLimits,
): Prepared {
  try {
    const document = parse(query, { maxTokens: maxQueryTokens })
    rejectBeforeValidation(document)
    const errors = validate(schema, document, undefined, { maxErrors })
    if (errors.length > 0) throw new OperationRejected(errors.map(toCallerError))
    const operation = getOperationAST(document, operationName)
    if (!operation || !schema.getRootType(operation.operation))
      throw problem('validation-failed', 'Unknown or ambiguous operation: set operationName to one of the document')
    rejectCostlyOperation(schema, document, operation, limits)
    const text = normalText(document, operation)
    const isSubscription = operation.operation === OperationTypeNode.SUBSCRIPTION
    return isSubscription ? { ...light(text), isSubscription, text } : { document, operation, isSubscription, text }
  } catch (error) {
    throw error instanceof OperationRejected ? error : new OperationRejected([toCallerError(error)])
  }
}

/** The document without source locations, which use most of its memory, because it may be kept for long. */
function light(text: string): Pick<Prepared, 'document' | 'operation'> {
  const document = parse(text, { noLocation: true })
  const operation = getOperationAST(document)
  if (!operation) throw new Error('invariant: the text has one operation')
  return { document, operation }
}

/** The variables of an operation in canonical form: equal values have equal texts. Throws an `OperationRejected`. */
export function variablesText(
  schema: GraphQLSchema,
  { operation }: Prepared,
  variables: OperationRequest['variables'],
) {
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors,
  })
  if (errors) throw new OperationRejected(errors.map(toCallerError))
  return JSON.stringify(coerced)
}

function normalText(document: DocumentNode, operation: OperationDefinitionNode): string {
  const separated = separateOperations(document)[operation.name?.value ?? ''] ?? document
  return print({
    kind: Kind.DOCUMENT,
    definitions: separated.definitions.map(node => (node.kind === Kind.OPERATION_DEFINITION ? unnamed(node) : node)),
  })
}

function unnamed({ name, ...operation }: OperationDefinitionNode): OperationDefinitionNode {
  return name ? operation : { ...operation }
}
