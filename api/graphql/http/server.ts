import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled'
import { execute, getOperationAST, GraphQLError, type GraphQLSchema, OperationTypeNode, parse } from 'graphql'
import type { Logger } from 'pino'
import { type ErrorCode, problem } from '../compile/problem.ts'
import { rejectLargeVariables } from '../run/argument-budget.ts'
import { executeOperation } from '../run/execute.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { type ExecutionContext, type ExecutionDeps, rootResolver } from '../run/root-resolver.ts'
import { sharedSchema } from '../schema/schema.ts'
import { rejectCostlyOperation } from './cost.ts'
import { rejectBeforeValidation } from './before-validation.ts'
import { formatError, toPublicError } from './errors.ts'
import type { ResponseText } from './response-text.ts'
import { isGivenUp } from '../../http/errors.ts'
import { type GraphqlLimits, maxQueryTokens } from '../../ports/graphql-limits.ts'

/** Dependencies of the GraphQL server. */
export interface GraphqlDeps extends ExecutionDeps {
  readonly logger: Logger
}

/** Context of one request: the company, the response and the time limit. */
export interface RequestContext extends ExecutionContext {
  /**
   * Receives the result, so that Apollo's response stays empty; if it is missing, Apollo's response contains the
   * result.
   */
  readonly text?: ResponseText
  /** Whether the caller accepts `application/graphql-response+json`, in which errors have HTTP statuses. */
  readonly hasStatuses: boolean
}

/** Creates the Apollo server and starts it in the background. */
export function createGraphqlServer(deps: GraphqlDeps): ApolloServer<RequestContext> {
  const schema = sharedSchema()
  const server = new ApolloServer<RequestContext>({
    gateway: executorOf(schema, deps),
    introspection: true,
    // GraphQL does not accept cookies, so a cross-site request is not authenticated.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    parseOptions: { maxTokens: maxQueryTokens },
    allowBatchedHttpRequests: false,
    formatError,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      yieldBetweenStages,
      ignoreEmptyName,
      limitValidation,
      limitCost(schema, deps.limits),
      setStatuses,
      writeResults,
      logFailures(deps),
    ],
    logger: deps.logger,
  })
  server.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests()
  return server
}

/** Executes operations by `executeOperation`. Apollo accepts a custom executor only as a gateway. */
function executorOf(
  schema: GraphQLSchema,
  deps: GraphqlDeps,
): ApolloServerOptionsWithGateway<RequestContext>['gateway'] {
  return {
    onSchemaLoadOrUpdate: notify => {
      notify({ apiSchema: schema, coreSupergraphSdl: '' })
      return () => undefined
    },
    load: async () => ({
      executor: async ({ document, request, context }) => {
        const operation = getOperationAST(document, request.operationName)
        // graphql-js reports why the document has no such operation.
        if (!operation) return execute({ schema, document, operationName: request.operationName })
        const executed = { document, operation, variables: request.variables ?? {} }
        return executeOperation(schema, executed, rootResolver(asContext(context), deps))
      },
    }),
    stop: async () => undefined,
  }
}

/** Returns the context that `executeHTTPGraphQLRequest` received. */
function asContext(context: object): RequestContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server types it as any record
  return context as RequestContext
}

const yieldToEventLoop = () => new TimeSlice().next()

/** Yields to the event loop between the stages of a request; at each yield, only one waiting request continues. */
const yieldBetweenStages: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      parsingDidStart: yieldToEventLoop,
      validationDidStart: yieldToEventLoop,
      executionDidStart: yieldToEventLoop,
    }
  },
}

/** Treats an empty operation name as missing, because some clients send an empty one. */
const ignoreEmptyName: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.operationName === '') delete request.operationName
  },
}

/** Apollo can report a rejection before validation only after validation, so this document is validated instead. */
const placeholder = parse('{ __typename }')

const limitValidation: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async validationDidStart(request) {
        try {
          rejectBeforeValidation(request.document)
        } catch {
          Object.assign(request, { document: placeholder })
        }
      },
      // Apollo caches documents by their text, so the next request with this text also gets the placeholder.
      async didResolveOperation({ document, source }) {
        if (document === placeholder) rejectBeforeValidation(parse(source))
      },
    }
  },
}

function limitCost(schema: GraphQLSchema, limits: GraphqlLimits): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, operation, request }) {
          rejectLargeVariables(request.variables)
          if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
            throw problem('validation-failed', 'Subscriptions require a WebSocket at the same URL')
          if (operation?.operation === OperationTypeNode.MUTATION)
            throw problem('validation-failed', 'Mutations are not supported')
          if (operation) rejectCostlyOperation(schema, document, operation, limits)
        },
      }
    },
  }
}

/** Sets status 200 for clients that accept plain JSON, because they read errors only from bodies with that status. */
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

/** Writes results to `text`, which limits their size and memory. */
const writeResults: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue: { text } }) {
        if (!text || response.body.kind !== 'single') return
        const { errors, data, extensions } = response.body.singleResult
        response.body.singleResult = {}
        await text.appendResult({ errors, data, extensions })
      },
    }
  },
}

/** Codes of failures of the service, which are logged; all other codes are errors of the caller. */
const serviceErrorCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unexpected', 'unavailable'])

function isCallerError(error: Error): boolean {
  return error instanceof GraphQLError || 'status' in error || !serviceErrorCodes.has(toPublicError(error).code)
}

function logFailures({ logger }: GraphqlDeps): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors, contextValue: { signal } }) {
          for (const { originalError } of errors) {
            // When a client disconnects, its operation is aborted; that is not a failure of the service.
            const isCallers =
              !originalError || isCallerError(originalError) || (signal.aborted && isGivenUp(originalError))
            if (!isCallers) logger.error({ err: originalError }, 'GraphQL operation failed')
          }
        },
      }
    },
  }
}
