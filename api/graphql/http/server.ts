import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { GraphQLError, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import { guardedStore } from '../../../clickhouse/client/company-guard.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { problem } from '../compile/problem.ts'
import { type Operation, RowBudget } from '../run/context.ts'
import type { Row } from '../run/lists.ts'
import { resolveRoot } from '../run/resolve.ts'
import { createSchema } from '../schema/schema.ts'
import { refuseCostly } from './cost.ts'
import { formatted } from './errors.ts'
import type { GraphqlLimits } from '../settings.ts'

/** The parts of the process that GraphQL needs. */
export interface GraphqlDeps {
  readonly store: Store
  readonly records: Records
  readonly statuses: { get(machineRef: MachineRef): { readonly sinceMs: number } | null }
  /** UTC ms. */
  readonly clock: () => number
  readonly logger: Logger
  readonly limits: GraphqlLimits
}

/** One request: whose plant it asks, within which time. */
export interface RequestContext {
  readonly company: CompanyRecord
  /** Aborted when the caller goes away or the time is over. */
  readonly signal: AbortSignal
  readonly isLate: () => boolean
  /** Whether the caller takes `application/graphql-response+json`, whose errors have statuses. */
  readonly hasStatuses: boolean
  /** Made when the first field is resolved. */
  operation?: Operation
}

/** The server of GraphQL; started in the background. */
export function createGraphqlServer(deps: GraphqlDeps): ApolloServer<RequestContext> {
  const schema = createSchema()
  const server = new ApolloServer<RequestContext>({
    schema,
    fieldResolver: resolverOf(deps),
    introspection: true,
    // No cookie gives access: a request from a page of another site has no token.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    parseOptions: { maxTokens: mostTokens },
    allowBatchedHttpRequests: false,
    formatError: (given, thrown) => formatted(given, thrown),
    plugins: [ApolloServerPluginLandingPageDisabled(), boundCost(schema, deps.limits), setStatuses, tellFailures(deps)],
    logger: deps.logger,
  })
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  return server
}

/** Most words and signs of a query. */
const mostTokens = 20_000

/** Root fields ask the store for all that is selected of them; fields below find it under their name in the answer. */
function resolverOf(deps: GraphqlDeps): GraphQLFieldResolver<unknown, RequestContext> {
  return (source, args: Readonly<Record<string, unknown>>, context, info) => {
    const { operation, path, parentType, schema } = info
    if (parentType !== schema.getRootType(operation.operation)) return isRow(source) ? source[path.key] : undefined
    context.operation ??= operationOf(context, deps)
    return resolveRoot(args, context.operation, info).catch((error: unknown) => {
      throw context.isLate() ? problem('time-limit-exceeded', 'The query took too long', error) : error
    })
  }
}

function isRow(source: unknown): source is Row {
  return typeof source === 'object' && source !== null
}

function operationOf({ company, signal }: RequestContext, deps: GraphqlDeps): Operation {
  const { store, records, statuses, clock, limits } = deps
  const { id: companyId, ref, settings } = company
  const statusStarts = () =>
    records.list('machine', companyId).flatMap(machine => {
      const status = statuses.get(machine.ref)
      return status ? [[machine.ref, status.sinceMs] as const] : []
    })
  return {
    scope: { companyRef: ref, companyId, settings, nowMs: clock(), statusStarts },
    store: guardedStore(store, ref, companyId),
    options: {
      settings: {
        readonly: 2,
        cancel_http_readonly_queries_on_client_close: 1,
        max_execution_time: Math.ceil(limits.withinMs / 1000),
        max_memory_usage: limits.memoryBytes,
      },
      logComment: `/graphql company=${ref}`,
      lane: 'report',
      signal,
    },
    budget: new RowBudget(limits.rows),
  }
}

function boundCost(schema: GraphQLSchema, limits: GraphqlLimits): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, operation }) {
          if (operation) refuseCostly(schema, document, operation, limits)
        },
      }
    },
  }
}

/**
 * Sets 200 for clients that take plain JSON: they read errors from the body, and only from an answer with that status.
 */
const setStatuses: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (!contextValue.hasStatuses) response.http.status = 200
        response.http.headers.set('cache-control', 'no-store')
      },
    }
  },
}

/** Whether the caller did something wrong, and not this service. */
function isOfCaller(error: Error): boolean {
  return error instanceof GraphQLError || 'status' in error
}

function tellFailures({ logger }: GraphqlDeps): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors }) {
          for (const { originalError } of errors)
            if (originalError && !isOfCaller(originalError)) logger.error({ err: originalError }, 'GraphQL failed')
        },
      }
    },
  }
}
