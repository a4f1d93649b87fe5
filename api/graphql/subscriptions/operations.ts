import { setMaxListeners } from 'node:events'
import { execute, type ExecutionResult, type GraphQLFormattedError, type GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { ErrorCode } from '../compile/problem.ts'
import { formatted } from '../http/errors.ts'
import { createFieldResolver, type ExecutionContext, type ExecutionDeps } from '../run/field-resolver.ts'
import { createSchema } from '../schema/schema.ts'
import type { OperationRequest, Prepared } from './prepare.ts'

export interface OperationsDeps extends ExecutionDeps {
  readonly logger: Logger
}

/** The answer of an operation; errors as a client may see them. */
export interface Answer {
  readonly data?: unknown
  readonly errors?: readonly GraphQLFormattedError[]
}

export interface RunOptions {
  readonly companyId: string
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
  readonly onReads?: ExecutionContext['onReads']
}

/** Runs operations that were prepared, in the name of a company. */
export class Operations {
  #schema: GraphQLSchema | undefined
  readonly #deps: OperationsDeps
  readonly #fieldResolver

  constructor(deps: OperationsDeps) {
    this.#deps = deps
    this.#fieldResolver = createFieldResolver(deps)
  }

  /** Made when it is needed first. */
  get schema(): GraphQLSchema {
    return (this.#schema ??= createSchema())
  }

  /** Never rejects: what goes wrong is in the answer. */
  async run(
    { document, operation }: Prepared,
    variables: OperationRequest['variables'],
    { companyId, signal, onReads }: RunOptions,
  ): Promise<Answer> {
    const { records, limits } = this.#deps
    const company = records.company(companyId)
    if (!company) return { errors: [unknownCompany] }
    const late = AbortSignal.timeout(limits.withinMs)
    const both = AbortSignal.any([late, signal])
    // Lists of one operation are asked side by side.
    setMaxListeners(0, both)
    const context: ExecutionContext = { company, signal: both, isLate: () => late.aborted, ...(onReads && { onReads }) }
    const result = await execute({
      schema: this.schema,
      document,
      operationName: operation.name?.value,
      variableValues: variables,
      contextValue: context,
      fieldResolver: this.#fieldResolver,
    })
    // Nobody hears it.
    return signal.aborted ? {} : this.#answerOf(result)
  }

  #answerOf({ data, errors }: ExecutionResult): Answer {
    const shown = errors?.map(error => {
      const told = formatted(error.toJSON(), error)
      if (codeOf(told) === 'unexpected') this.#deps.logger.error({ err: error.originalError }, 'GraphQL failed')
      return told
    })
    return { ...(data !== undefined && { data }), ...(shown && { errors: shown }) }
  }
}

const unknownCompany: GraphQLFormattedError = {
  message: 'The company is not known here yet',
  extensions: { code: 'unavailable' satisfies ErrorCode },
}

/** The code of an error as it is shown. */
export function codeOf({ extensions }: GraphQLFormattedError): unknown {
  return extensions?.['code']
}
