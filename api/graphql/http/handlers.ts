import { setMaxListeners } from 'node:events'
import { expressMiddleware } from '@as-integrations/express5'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError } from '../../../schema/errors.ts'
import { anyOf, insufficientScope, permits } from '../../auth/scopes.ts'
import { callerOf, type CallerDeps, requireToken } from '../../http/caller.ts'
import { sendText } from '../../http/compress.ts'
import { errorReply, faultBoundsOf } from '../../http/errors.ts'
import { requestIdOf } from '../../http/observe.ts'
import { parsedBody } from '../../http/read-json.ts'
import type { ApiSettings } from '../../ports/settings.ts'
import { createGate } from '../../reports/ask/gate.ts'
import { joinSignals } from '../../../shared/async/join-signals.ts'
import { Shares } from '../../../shared/shares.ts'
import { graphqlErrorBody, toldOf } from './errors.ts'
import type { AnswerRoom } from '../run/answer-budget.ts'
import type { ReportRunners } from '../run/context.ts'
import { answerGraphiql } from './page.ts'
import { createGraphqlServer, type GraphqlDeps, type RequestContext } from './server.ts'

/** Parts of the process that the routes of GraphQL need. */
export interface GraphqlRouteDeps
  extends CallerDeps, ReportRunners, Omit<GraphqlDeps, 'limits' | 'records' | 'clock' | 'logger' | 'reports'> {
  readonly settings: Pick<ApiSettings, 'graphql' | 'sessionRules'>
}

/** Serves GraphQL requests: what comes before the body, and after it. */
interface Handlers {
  readonly before: readonly RequestHandler[]
  readonly after: readonly (RequestHandler | ErrorRequestHandler)[]
}

const rule = anyOf('reporting')
const statusType = 'application/graphql-response+json'

/** The handlers of each service, for all its paths and methods. */
const made = new WeakMap<GraphqlRouteDeps, Handlers>()

/** The handlers of a route, with what reads its body. */
export function graphqlHandlers(
  deps: GraphqlRouteDeps,
  readBody: readonly RequestHandler[],
): readonly (RequestHandler | ErrorRequestHandler)[] {
  let handlers = made.get(deps)
  if (!handlers) made.set(deps, (handlers = createHandlers(deps)))
  return [...handlers.before, ...readBody, ...handlers.after]
}

function createHandlers(deps: GraphqlRouteDeps): Handlers {
  const limits = deps.settings.graphql
  const gate = createGate(limits.concurrency)
  const isShared = () => deps.records.companies().length > 1
  const answers = new Shares({ room: limits.answersBytes, isShared })
  let answer: RequestHandler | undefined
  /** Made with the first request: the schema takes 70 ms of CPU. */
  const answering = () =>
    (answer ??= expressMiddleware(createGraphqlServer({ ...deps, limits, reports: deps }), {
      context: async ({ req, res }) => contextOf(req, res, { withinMs: limits.withinMs, answers }),
    }))
  const requireScope: RequestHandler = (request, _response, next) => {
    if (!permits(rule, callerOf(request).scopes)) throw insufficientScope(rule)
    next()
  }
  const run: RequestHandler = async (request, response, next) => {
    request.body = request.method === 'POST' ? parsedBody(request) : undefined
    const send = response.send.bind(response)
    // The answer is compressed as all others are.
    response.send = (text: unknown) => {
      response.send = send
      sendText(response, String(text)).catch(next)
      return response
    }
    await gate(callerOf(request).company.id, async () => {
      await answering()(request, response, next)
    })
  }
  return {
    before: [answerGraphiql, requireToken(deps), requireScope, limitCompanies(limits.requestsPerMinute)],
    after: [run, answerError(deps)],
  }
}

interface Bounds {
  readonly withinMs: number
  /** Memory of answers, by company. */
  readonly answers: Shares
}

function contextOf(request: Request, response: Response, { withinMs, answers }: Bounds): RequestContext {
  const late = AbortSignal.timeout(withinMs)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { signal } = joinSignals(late, gone.signal)
  // Lists of one query are asked side by side.
  setMaxListeners(0, signal)
  const { company } = callerOf(request)
  return {
    company,
    signal,
    room: roomOf(company.id, response, answers),
    isLate: () => late.aborted,
    hasStatuses: hasStatuses(request),
  }
}

/** Room for the answer of one request, given back when that is over. */
function roomOf(companyId: string, response: Response, answers: Shares): AnswerRoom {
  let taken = 0
  response.once('close', () => {
    answers.give(companyId, taken)
    taken = 0
  })
  return {
    take(bytes) {
      // Nobody waits for it any more.
      if (response.closed || !answers.take(companyId, bytes)) return false
      taken += bytes
      return true
    },
  }
}

/** Whether the caller prefers the type whose errors have statuses. */
function hasStatuses(request: Request): boolean {
  return request.accepts('application/json', statusType) === statusType
}

function limitCompanies(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    keyGenerator: request => callerOf(request).company.id,
    skip: () => requestsPerMinute === 0,
    handler: () => {
      throw new ApiError(429, 'TooManyRequests', 'Too many GraphQL requests of this company')
    },
  })
}

/**
 * Answers errors from before the query is read. Clients that take plain JSON get 200 for a bad token or a missing
 * scope, as they look for these in the body alone.
 */
function answerError({ logger }: Pick<GraphqlRouteDeps, 'logger'>): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = requestIdOf(request)
    const { status, headers, body } = errorReply(error, requestId, faultBoundsOf(request))
    if (status >= 500) logger.error({ err: error, requestId, path: request.path }, 'GraphQL request failed')
    if (response.headersSent) {
      response.destroy()
      return
    }
    const isRefused = status === 401 || status === 403
    const typed = hasStatuses(request)
    response.set(headers).set('Cache-Control', 'no-store')
    response.status(isRefused && !typed ? 200 : status).type(typed ? statusType : 'application/json')
    response.send(JSON.stringify(graphqlErrorBody({ ...toldOf(error), ...messageOf(error, body) })))
  }
}

/** Errors of express and of the reading of bodies say what is wrong in the body that other routes answer. */
function messageOf(error: unknown, body: unknown): { readonly message?: string; readonly code?: 'bad-request' } {
  const isOther = error instanceof Error && toldOf(error).code === 'unexpected'
  if (!isOther || typeof body !== 'object' || body === null || !('message' in body)) return {}
  const { message } = body
  const isFault = !('code' in body && body.code === 'InternalError')
  return typeof message === 'string' && isFault ? { message, code: 'bad-request' } : {}
}
