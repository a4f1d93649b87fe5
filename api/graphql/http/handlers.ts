import { setMaxListeners } from 'node:events'
import { promisify } from 'node:util'
import { type ApolloServer, HeaderMap } from '@apollo/server'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError } from '../../../schema/errors.ts'
import { maxOperations } from '../../../schema/requests/graphql.ts'
import { anyOf, insufficientScope, permits } from '../../auth/scopes.ts'
import { callerOf, type CallerDeps, requireToken } from '../../http/caller.ts'
import { errorReply, fieldErrorLimitsOf } from '../../http/errors.ts'
import { requestIdOf } from '../../http/observe.ts'
import { parsedBody } from '../../http/read-body.ts'
import type { FreshnessPort } from '../../ports/ports.ts'
import type { ApiSettings } from '../../ports/settings.ts'
import { createReportLimiter } from '../../reports/report-limiter.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { joinSignals } from '../../../shared/async/join-signals.ts'
import { getOrCreate } from '../../../shared/collections/get-or-create.ts'
import { Shares } from '../../../shared/shares.ts'
import { graphqlErrorBody, toPublicError } from './errors.ts'
import { ResponseBudget, type ResponseMemory } from '../run/response-budget.ts'
import type { ReportRunners } from '../run/context.ts'
import { serveGraphiql } from './page.ts'
import { ResponseText } from './response-text.ts'
import { sendResponse } from './send-response.ts'
import { createGraphqlServer, type GraphqlDeps, type RequestContext } from './server.ts'

/** Dependencies of the GraphQL routes. */
export interface GraphqlRouteDeps
  extends
    CallerDeps,
    FreshnessPort,
    ReportRunners,
    Omit<GraphqlDeps, 'limits' | 'records' | 'clock' | 'logger' | 'reports' | 'requestFlush'> {
  readonly settings: Pick<ApiSettings, 'graphql' | 'sessionRules'>
}

/** Handlers of GraphQL requests that run before and after the body is read. */
interface Handlers {
  readonly before: readonly RequestHandler[]
  readonly after: readonly (RequestHandler | ErrorRequestHandler)[]
}

const rule = anyOf('reporting')
const statusType = 'application/graphql-response+json'

/** The handlers of each service, shared by all paths and methods. */
const handlersByDeps = new WeakMap<GraphqlRouteDeps, Handlers>()

/** Returns the handlers of a GraphQL route in order; `readBody` reads the body of the request. */
export function graphqlHandlers(
  deps: GraphqlRouteDeps,
  readBody: readonly RequestHandler[],
): readonly (RequestHandler | ErrorRequestHandler)[] {
  const { before, after } = getOrCreate(handlersByDeps, deps, () => createHandlers(deps))
  return [...before, ...readBody, ...after]
}

function createHandlers(deps: GraphqlRouteDeps): Handlers {
  const limits = deps.settings.graphql
  const limiter = createReportLimiter(limits.concurrency)
  const isShared = () => deps.records.companies().length > 1
  const responseShares = new Shares({ limit: limits.answersBytes, isShared })
  let created: ApolloServer<RequestContext> | undefined
  /** Created on the first request: the schema takes 70 ms of CPU time. */
  const server = () => (created ??= createGraphqlServer({ ...deps, limits, reports: deps }))
  const limitCompany = limitCompanies(limits.requestsPerMinute)
  const countRequest = promisify<Request, Response>(limitCompany)
  const requireScope: RequestHandler = (request, _response, next) => {
    if (!permits(rule, callerOf(request).scopes)) throw insufficientScope(rule)
    next()
  }
  const run: RequestHandler = async (request, response) => {
    const body = request.method === 'POST' ? parsedBody(request) : undefined
    // The rate limiter has counted one request already; each further operation of an array counts as another.
    for (let i = 1; i < operationsOf(body); i++) await countRequest(request, response)
    const closed = closedSignal(response)
    const text = await limiter(callerOf(request).company.id, async () => {
      const context = contextOf(request, closed, { limits, responseShares })
      await (Array.isArray(body) ? executeAll : executeOne)(server(), body, { request, response, context })
      return context.text
    })
    await sendResponse(response, text, closed)
  }
  return {
    before: [serveGraphiql, requireToken(deps), requireScope, limitCompany],
    after: [run, sendError(deps)],
  }
}

/** Returns the number of operations in a body; throws an `ApiError` if an array has none or too many. */
function operationsOf(body: unknown): number {
  if (!Array.isArray(body)) return 1
  if (body.length > 0 && body.length <= maxOperations) return body.length
  throw new ApiError(400, 'BadRequest', `The array has ${body.length} operations: 1 to ${maxOperations} are allowed`)
}

interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly context: ResponseContext
}

/** Executes one operation and sets the status and the headers of the response. */
async function executeOne(server: ApolloServer<RequestContext>, body: unknown, exchange: Exchange): Promise<void> {
  const { status, headers } = await execute(server, body, exchange)
  exchange.response.status(status ?? 200).setHeaders(headers)
  exchange.context.text.append('\n')
}

/** Executes an array of operations one after the other; the response is the array of their results. */
async function executeAll(server: ApolloServer<RequestContext>, body: unknown, exchange: Exchange): Promise<void> {
  const { response, context } = exchange
  let before = '['
  for (const operation of Array.isArray(body) ? body : []) {
    context.text.append(before)
    // The request timed out or the client disconnected: `appendResult` writes that error.
    if (context.signal.aborted) await context.text.appendResult({})
    else await execute(server, operation, exchange)
    before = ','
  }
  context.text.append(']\n')
  response.status(200).type('application/json').set('Cache-Control', 'no-store')
}

/** Executes one operation and writes its result to `context.text`. */
async function execute(server: ApolloServer<RequestContext>, body: unknown, { request, context }: Exchange) {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const { method, originalUrl } = request
  const search = /\?.*/.exec(originalUrl)?.[0] ?? ''
  const { bytes } = context.text
  const executed = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method, headers, search, body },
    context: async () => context,
  })
  // Apollo returns the errors of a body without an operation in its own response.
  if (context.text.bytes === bytes && executed.body.kind === 'complete') context.text.append(executed.body.string)
  return executed
}

interface Bounds {
  readonly limits: GraphqlLimits
  /** Memory of responses in progress, in fair shares by company. */
  readonly responseShares: Shares
}

type ResponseContext = RequestContext & Required<Pick<RequestContext, 'text'>>

/** Returns a signal that aborts when the response was sent or the client disconnected. */
function closedSignal(response: Response): AbortSignal {
  const closed = new AbortController()
  if (response.closed) closed.abort()
  else response.once('close', () => closed.abort())
  return closed.signal
}

function contextOf(request: Request, closed: AbortSignal, { limits, responseShares }: Bounds): ResponseContext {
  const late = AbortSignal.timeout(limits.withinMs)
  const { signal } = joinSignals(late, closed)
  // The lists of a query run in parallel, and each adds a listener.
  setMaxListeners(0, signal)
  const { company } = callerOf(request)
  const budget = new ResponseBudget(limits, responseMemoryOf(company.id, closed, responseShares))
  const isLate = () => late.aborted
  const text = new ResponseText({ budget, maxBytes: limits.responseBytes, signal, isLate })
  return { company, signal, budget, text, isLate, hasStatuses: hasStatuses(request) }
}

/** Reserves memory for the response of one request; releases it when the connection is closed. */
function responseMemoryOf(companyId: string, closed: AbortSignal, responseShares: Shares): ResponseMemory {
  let reservedBytes = 0
  closed.addEventListener('abort', () => responseShares.release(companyId, reservedBytes))
  return {
    reserve(bytes) {
      // A disconnected client gets no response, so that no more memory is reserved.
      if (closed.aborted || !responseShares.reserve(companyId, bytes)) return false
      reservedBytes += bytes
      return true
    },
  }
}

/** Whether the caller accepts `application/graphql-response+json`, in which errors have HTTP statuses. */
function hasStatuses(request: Request): boolean {
  return request.accepts('application/json', statusType) === statusType
}

function limitCompanies(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    // Each operation of an array counts, so a request may be counted several times.
    validate: { singleCount: false },
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    keyGenerator: request => callerOf(request).company.id,
    skip: () => requestsPerMinute === 0,
    handler: () => {
      throw new ApiError(429, 'TooManyRequests', 'Too many GraphQL requests of this company. Retry later.')
    },
  })
}

/**
 * Sends errors that occur before the query is read. Clients that accept plain JSON get status 200 for a bad token or a
 * missing scope, because they read errors only from the body.
 */
function sendError({ logger }: Pick<GraphqlRouteDeps, 'logger'>): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = requestIdOf(request)
    const { status, headers, body } = errorReply(error, requestId, fieldErrorLimitsOf(request))
    if (status >= 500) logger.error({ err: error, requestId, path: request.path }, 'GraphQL request failed')
    if (response.headersSent) {
      response.destroy()
      return
    }
    const isDenied = status === 401 || status === 403
    const typed = hasStatuses(request)
    response.set(headers).set('Cache-Control', 'no-store')
    response.status(isDenied && !typed ? 200 : status).type(typed ? statusType : 'application/json')
    response.send(JSON.stringify(graphqlErrorBody({ ...toPublicError(error), ...bodyErrorOf(error, body) })))
  }
}

/**
 * Returns the message and the code of an error of express or of the body reader; returns an empty object for other
 * errors.
 */
function bodyErrorOf(error: unknown, body: unknown): { readonly message?: string; readonly code?: 'bad-request' } {
  const isOther = error instanceof Error && toPublicError(error).code === 'unexpected'
  if (!isOther || typeof body !== 'object' || body === null || !('message' in body)) return {}
  const { message } = body
  const isFault = !('code' in body && body.code === 'InternalError')
  if (typeof message !== 'string' || !isFault) return {}
  const details = 'errors' in body && Array.isArray(body.errors) ? body.errors.map(detailOf) : []
  return { message: details.length > 0 ? `${message}: ${details.join('; ')}` : message, code: 'bad-request' }
}

function detailOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
}
