import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled'
import { execute, getOperationAST, GraphQLError, type GraphQLSchema, OperationTypeNode, parse } from 'graphql'
import type { Logger } from 'pino'
import { type ErrorCode, problem } from '../compile/problem.ts'
import { refuseLargeVariables } from '../run/argument-budget.ts'
import { executeOperation } from '../run/execute.ts'
import { WorkSlice } from '../../../shared/async/work-slice.ts'
import { type ExecutionContext, type ExecutionDeps, rootResolver } from '../run/root-resolver.ts'
import { theSchema } from '../schema/schema.ts'
import { refuseCostly } from './cost.ts'
import { refuseBeforeValidation } from './before-validation.ts'
import { formatted, toldOf } from './errors.ts'
import type { ResponseText } from './response-text.ts'
import { isGivenUp } from '../../http/errors.ts'
import { type GraphqlLimits, mostTokens } from '../../ports/graphql-limits.ts'

/** The parts of the process that GraphQL over HTTP needs. */
export interface GraphqlDeps extends ExecutionDeps {
  readonly logger: Logger
}

/** One request: whose plant it queries, within which time. */
export interface RequestContext extends ExecutionContext {
  /** Gets the result, which is then not in Apollo's response; without it the result stays there. */
  readonly text?: ResponseText
  /** Whether the caller takes `application/graphql-response+json`, whose errors have statuses. */
  readonly hasStatuses: boolean
}

/** The server of GraphQL; started in the background. */
export function createGraphqlServer(deps: GraphqlDeps): ApolloServer<RequestContext> {
  const schema = theSchema()
  const server = new ApolloServer<RequestContext>({
    gateway: executorOf(schema, deps),
    introspection: true,
    // No cookie gives access: a request from a page of another site has no token.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    parseOptions: { maxTokens: mostTokens },
    allowBatchedHttpRequests: false,
    formatError: (given, thrown) => formatted(given, thrown),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      turns,
      takeEmptyName,
      boundValidation,
      boundCost(schema, deps.limits),
      setStatuses,
      writeResults,
      tellFailures(deps),
    ],
    logger: deps.logger,
  })
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  return server
}

/** Has operations run by `executeOperation`: the server takes another executor as a gateway alone. */
function executorOf(
  schema: GraphQLSchema,
  deps: GraphqlDeps,
): ApolloServerOptionsWithGateway<RequestContext>['gateway'] {
  return {
    onSchemaLoadOrUpdate: tell => {
      tell({ apiSchema: schema, coreSupergraphSdl: '' })
      return () => undefined
    },
    load: async () => ({
      executor: async ({ document, request, context }) => {
        const operation = getOperationAST(document, request.operationName)
        // It says what is wrong.
        if (!operation) return execute({ schema, document, operationName: request.operationName })
        const executed = { document, operation, variables: request.variables ?? {} }
        return executeOperation(schema, executed, rootResolver(asContext(context), deps))
      },
    }),
    stop: async () => undefined,
  }
}

/** The context is passed on as it was made. */
function asContext(context: object): RequestContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server types it as any record
  return context as RequestContext
}

const yielded = () => new WorkSlice().next()

/** Yields to the event loop between the stages of a request; only one request continues at a time. */
const turns: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return { parsingDidStart: yielded, validationDidStart: yielded, executionDidStart: yielded }
  },
}

/** Takes an empty name of the operation for none, as some clients send it. */
const takeEmptyName: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.operationName === '') delete request.operationName
  },
}

/** Stands in for a document that is refused before it is validated: the server hears of a refusal only after that. */
const harmless = parse('{ __typename }')

const boundValidation: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async validationDidStart(request) {
        try {
          refuseBeforeValidation(request.document)
        } catch {
          Object.assign(request, { document: harmless })
        }
      },
      // The server keeps documents by their texts: this one comes for the next request of that text, too.
      async didResolveOperation({ document, source }) {
        if (document === harmless) refuseBeforeValidation(parse(source))
      },
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

/** Writes results under the limits of their requests. */
const writeResults: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue: { text } }) {
        if (!text || response.body.kind !== 'single') return
        const { errors, data, extensions } = response.body.singleResult
        response.body.singleResult = {}
        await text.result({ errors, data, extensions })
      },
    }
  },
}

/** Codes of failures that an operator must see; the others are of the caller. */
const ownCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unexpected', 'unavailable'])

/** Whether the caller did something wrong, and not this service. */
function isOfCaller(error: Error): boolean {
  return error instanceof GraphQLError || 'status' in error || !ownCodes.has(toldOf(error).code)
}

function tellFailures({ logger }: GraphqlDeps): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors, contextValue: { signal } }) {
          for (const { originalError } of errors) {
            // Work is given up for a caller that has gone away: nothing of this service failed.
            const isCallers =
              !originalError || isOfCaller(originalError) || (signal.aborted && isGivenUp(originalError))
            if (!isCallers) logger.error({ err: originalError }, 'GraphQL failed')
          }
        },
      }
    },
  }
}
