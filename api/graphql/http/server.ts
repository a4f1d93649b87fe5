import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Logger } from 'pino'
import { problem } from '../compile/problem.ts'
import { refuseLargeVariables } from '../run/argument-budget.ts'
import { createFieldResolver, type ExecutionContext, type ExecutionDeps } from '../run/field-resolver.ts'
import { jsonInTurns } from '../run/in-turns.ts'
import { theSchema } from '../schema/schema.ts'
import { refuseCostly } from './cost.ts'
import { formatted, toldOf } from './errors.ts'
import { type GraphqlLimits, mostTokens } from '../../ports/graphql-limits.ts'

/** The parts of the process that GraphQL over HTTP needs. */
export interface GraphqlDeps extends ExecutionDeps {
  readonly logger: Logger
}

/** One request: whose plant it asks, within which time. */
export interface RequestContext extends ExecutionContext {
  /** Whether the caller takes `application/graphql-response+json`, whose errors have statuses. */
  readonly hasStatuses: boolean
}

/** The server of GraphQL; started in the background. */
export function createGraphqlServer(deps: GraphqlDeps): ApolloServer<RequestContext> {
  const schema = theSchema()
  const server = new ApolloServer<RequestContext>({
    schema,
    fieldResolver: createFieldResolver(deps),
    introspection: true,
    // No cookie gives access: a request from a page of another site has no token.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    parseOptions: { maxTokens: mostTokens },
    allowBatchedHttpRequests: false,
    stringifyResult: async result => `${await jsonInTurns(result)}\n`,
    formatError: (given, thrown) => formatted(given, thrown),
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      turns,
      boundCost(schema, deps.limits),
      setStatuses,
      tellFailures(deps),
    ],
    logger: deps.logger,
  })
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  return server
}

/** Gives others their turn between the stages of a request. */
const turns: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      parsingDidStart: () => nextTurn(),
      validationDidStart: () => nextTurn(),
      executionDidStart: () => nextTurn(),
    }
  },
}

function boundCost(schema: GraphQLSchema, limits: GraphqlLimits): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, operation, request }) {
          refuseLargeVariables(request.variables)
          if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
            throw problem('validation-failed', 'Subscriptions are taken over WebSocket, at the same address')
          if (operation?.operation === OperationTypeNode.MUTATION)
            throw problem('validation-failed', 'There are no mutations: what is asked here changes nothing')
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
  return error instanceof GraphQLError || 'status' in error || toldOf(error).code === 'validation-failed'
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
