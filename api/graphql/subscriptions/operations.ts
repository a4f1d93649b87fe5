import { setMaxListeners } from 'node:events'
import type { ExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import { type ErrorCode, toCallerError } from '../compile/problem.ts'
import { formatError } from '../http/errors.ts'
import type { LocalResults } from '../run/context.ts'
import { executeOperation } from '../run/execute.ts'
import { type ExecutionContext, type ExecutionDeps, rootResolver } from '../run/root-resolver.ts'
import { withSignals } from '../../../shared/async/join-signals.ts'
import { createSchema } from '../schema/schema.ts'
import type { OperationRequest, Prepared } from './prepare.ts'

/** Dependencies of `Operations`. */
export interface OperationsDeps extends ExecutionDeps {
  readonly logger: Logger
  readonly localResults: LocalResults
}

/** The result of an operation; the errors are safe to send to clients. */
export interface OperationResult {
  readonly data?: unknown
  readonly errors?: readonly GraphQLFormattedError[]
}

export interface RunOptions {
  readonly companyId: string
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal
  readonly onReads?: ExecutionContext['onReads']
  /** Whether results of this process may be used instead of the store's. */
  readonly mayUseLocalResults?: boolean
}

/** Runs prepared operations for a company. */
export class Operations {
  #schema: GraphQLSchema | undefined
  readonly #deps: OperationsDeps

  constructor(deps: OperationsDeps) {
    this.#deps = deps
  }

  /** Created on first use. */
  get schema(): GraphQLSchema {
    return (this.#schema ??= createSchema())
  }

  /** Never rejects: the result contains the errors. */
  async run(
    { document, operation }: Prepared,
    variables: OperationRequest['variables'],
    { companyId, signal, onReads, mayUseLocalResults = false }: RunOptions,
  ): Promise<OperationResult> {
    const { records, limits } = this.#deps
    const company = records.company(companyId)
    if (!company) return { errors: [unknownCompany] }
    const late = AbortSignal.timeout(limits.withinMs)
    return withSignals([signal, late], async ending => {
      // The lists of an operation run in parallel, each with a listener.
      setMaxListeners(0, ending)
      const context: ExecutionContext = {
        company,
        signal: ending,
        isLate: () => late.aborted,
        ...(onReads && { onReads }),
        ...(mayUseLocalResults && { localResults: this.#deps.localResults }),
      }
      const executed = { document, operation, variables }
      const result = await executeOperation(this.schema, executed, rootResolver(context, this.#deps))
      // The client has disconnected, so no result is built.
      return signal.aborted ? {} : this.#resultOf(result)
    })
  }

  #resultOf({ data, errors }: ExecutionResult): OperationResult {
    const shown = errors?.map(toCallerError).map(error => {
      const responseError = formatError(error.toJSON(), error)
      if (codeOf(responseError) === 'unexpected')
        this.#deps.logger.error({ err: error.originalError }, 'GraphQL operation failed')
      return responseError
    })
    return { ...(data !== undefined && { data }), ...(shown && { errors: shown }) }
  }
}

const unknownCompany: GraphQLFormattedError = {
  message: 'The company is not available yet. Retry later.',
  extensions: { code: 'unavailable' satisfies ErrorCode },
}

/** The code of an error of a result. */
export function codeOf({ extensions }: GraphQLFormattedError): unknown {
  return extensions?.['code']
}
