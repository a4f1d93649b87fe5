import { Readable } from 'node:stream'
import type { Express, Request, RequestHandler, Response } from 'express'
import { coerceToSchema, coerceInSteps } from '../../schema/coerce.ts'
import { validationError } from '../../schema/errors.ts'
import { jsonOf as schemaJson } from '../../schema/types.ts'
import { type AccessRule, allows, insufficientScope } from '../auth/scopes.ts'
import type { CommandsPort } from '../ports/ports.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { shedBodies } from './shed-bodies.ts'
import type { BodyBudget } from './body-budget.ts'
import { callerOf } from './caller.ts'
import { clientAddressOf } from './address.ts'
import { baseUrlOf } from './base-url.ts'
import { checkOf, type ValidationResult } from './check.ts'
import { sendText } from './compress.ts'
import { onlyCookieIn } from './cookie.ts'
import { setFieldErrorLimits } from './errors.ts'
import { type FileAnswer, sendFile } from './file.ts'
import { hasStreamedList, sendStreamed } from './json-stream.ts'
import { runIdempotently } from './idempotency.ts'
import { convertQuery } from './query.ts'
import { readBytes, requireUtf8 } from './read-bytes.ts'
import { hasLargeBody, parsedBody, readJson } from './read-json.ts'
import { nearMisses, type Warning, warningHeader } from './warnings.ts'
import { JsonList } from '../json/json-list.ts'
import { StaticContent } from '../static/static-content.ts'
import { type BodySpec, type Call, type Method, type Route } from './route.ts'
import { formOf, readUpload } from './upload.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'

const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const satisfies Record<
  Method,
  string
>

/** Parts of the process that every route needs. */
export interface MountDeps extends CommandsPort {
  readonly settings: BodySettings
}

type BodySettings = Pick<ApiSettings, 'json' | 'ingest' | 'publicBodyBytes' | 'uploads'>

/** Mounts a route, in this order: scope, place, body, schemas, handler, response. */
export function mount<Deps extends MountDeps>(app: Express, route: Route<Deps>, deps: Deps, budget: BodyBudget): void {
  if (route.serve) {
    const reading = route.body ? readBody(route.body, false, deps.settings, budget) : []
    app[verbs[route.method]](route.path, ...route.serve(deps, reading))
    return
  }
  const before: RequestHandler[] = []
  if (route.faults) before.push(setFieldErrorLimits(route.faults))
  if (route.scope !== 'public') before.push(requireScope(route.scope))
  if (route.enter) before.push(takePlace(route.enter, deps))
  if (route.body) before.push(...readBody(route.body, route.scope === 'public', deps.settings, budget))
  const faultsOf = checksOf(route)
  const handle = async (request: Request, response: Response) => {
    const { call, warnings } = await callOf(route, request, response)
    if (warnings.inHeader.length > 0) response.set('Takt-Warnings', warningHeader(warnings.inHeader))
    response.status(route.status ?? 200)
    const answered = await runIdempotently(route, request, call, deps, async within => {
      const { faults, more } = faultsOf(call, hasLargeBody(request))
      if (faults.length > 0) throw validationError(faults, more)
      return route.handle(call, within)
    })
    return { call, warnings, answered }
  }
  app[verbs[route.method]](route.path, ...before, async (request, response) => {
    const handled = handle(request, response)
    inProgress.set(request, handled)
    const { call, warnings, answered } = await handled
    const answer = withWarnings(answered, warnings.inAnswer, response)
    if (isFile(answer)) await sendFile(response, answer)
    else if (!call.signal.aborted) await send(response, route.output, answer)
  })
}

/** Adds warnings to a response that is an object; otherwise they are in the header. */
function withWarnings(answer: unknown, warnings: readonly Warning[], response: Response): unknown {
  if (warnings.length === 0) return answer
  const hasPlace = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  if (hasPlace && !isFile(answer) && !(answer instanceof JsonList))
    return { ...answer, warnings: [...warningsOf(answer), ...warnings] }
  response.set('Takt-Warnings', warningHeader(warnings))
  return answer
}

/** Warnings that a route has added to its response itself. */
function warningsOf(answer: object): readonly unknown[] {
  return 'warnings' in answer && Array.isArray(answer.warnings) ? answer.warnings : []
}

async function send(response: Response, output: Route['output'], answer: unknown): Promise<void> {
  if (answer instanceof StaticContent) await answer.send(response)
  else if (hasStreamedList(answer)) await sendStreamed(response, answer)
  else if (typeof output === 'object') await sendText(response.type('application/json'), JSON.stringify(answer))
  else await sendText(response.type(output === 'html' ? 'text/html' : 'text/plain'), String(answer))
}

function isFile(answer: unknown): answer is FileAnswer {
  return typeof answer === 'object' && answer !== null && 'content' in answer && answer.content instanceof Readable
}

function requireScope(scope: AccessRule): RequestHandler {
  return (request, _response, next) => {
    if (!allows(scope, callerOf(request))) throw insufficientScope(scope)
    next()
  }
}

/** The work of `handle` per request. It may outlast the request: a client that disconnects does not end an import. */
const inProgress = new WeakMap<Request, Promise<unknown>>()

/** Reserves a place for the request, and releases it when the request and its work have ended. */
function takePlace<Deps>(enter: NonNullable<Route<Deps>['enter']>, deps: Deps): RequestHandler {
  return (request, response, next) => {
    if (response.closed) return
    onOver(request, enter(callerOf(request), deps))
    next()
  }
}

/** Calls `over` when the request and its work have ended. */
export function onOver(request: Request, over: () => void): void {
  const response = request.res
  if (!response || response.closed) {
    over()
    return
  }
  response.once('close', () => {
    const handled = inProgress.get(request)
    if (handled) neverRejects(handled.then(over, over))
    else over()
  })
}

function readBody(
  body: BodySpec<unknown>,
  isPublic: boolean,
  settings: BodySettings,
  budget: BodyBudget,
): RequestHandler[] {
  const { json, ingest, publicBodyBytes, uploads } = settings
  if (body.kind === 'form') return readUpload(body.fileField ?? '', uploads)
  if (body.kind === 'raw') {
    const read = readBytes(ingest.bytes)
    return [requireUtf8, budget.take(ingest.bytes), shedBodies(ingest.bytes, onOver), read, budget.settle()]
  }
  const bounds = isPublic ? { ...json, bytes: Math.min(json.bytes, publicBodyBytes) } : json
  return [budget.take(bounds.bytes), ...readJson(bounds), budget.settle()]
}

/**
 * Creates the check of a call's path, query and body. A large body that the registrar checks is checked here, too, so
 * that an invalid one is not sent.
 */
function checksOf({ params, query, body }: Route): (call: Call, isLarge: boolean) => ValidationResult {
  const byHandler = body !== undefined && body.checked !== 'before'
  const checkParams = checkOf(byHandler ? undefined : params)
  const checkQuery = checkOf(query)
  const checkBody = checkOf(body?.checked === 'by handler' ? undefined : body?.schema)
  return (call, isLarge) => {
    const found = [checkParams(call.params), checkQuery(call.query)]
    if (!byHandler || isLarge) found.push(checkBody(call.body))
    return {
      faults: found.flatMap(({ faults }) => faults),
      more: found.reduce((sum, { more }) => sum + more, 0),
    }
  }
}

/** Warnings about the query (`inHeader`) and about the body (`inAnswer`). */
interface Warnings {
  readonly inHeader: readonly Warning[]
  readonly inAnswer: readonly Warning[]
}

async function callOf(
  route: Route,
  request: Request,
  response: Response,
): Promise<{ readonly call: Call; readonly warnings: Warnings }> {
  const abort = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) abort.abort()
  })
  if (response.closed) abort.abort()
  const { query, warnings: inHeader } = route.query
    ? convertQuery(request.query, route.query)
    : { query: {}, warnings: [] }
  const inAnswer = route.body?.kind === 'json' ? nearMisses(parsedBody(request), route.body.schema) : []
  const body = await bodyOf(route, request)
  const call: Call = {
    params: flat(request.params),
    query,
    body,
    contentType: request.headers['content-type'],
    caller: () => callerOf(request),
    baseUrl: baseUrlOf(request),
    address: clientAddressOf(request),
    cookie: name => onlyCookieIn(request, name),
    signal: abort.signal,
    setStatus: status => void response.status(status),
    setHeader: (name, value) => void (name === 'Set-Cookie' ? response.append(name, value) : response.set(name, value)),
  }
  return { call, warnings: { inHeader, inAnswer } }
}

/**
 * The body of a request, converted according to the schema. Without a body, express gives undefined, which schemas do
 * not support: this gives null, or no bytes.
 */
async function bodyOf({ body }: Route, request: Request): Promise<unknown> {
  if (body?.kind === 'form') return formOf(request)
  if (body?.kind === 'json') {
    const [given, schema] = [parsedBody(request), schemaJson(body.schema)]
    if (!hasLargeBody(request)) return coerceToSchema(given, schema)
    return runCooperatively(coerceInSteps(given, schema, body.checked === 'by registrar' ? 'left out' : 'kept'))
  }
  const given: unknown = request.body
  return given ?? (body?.kind === 'raw' ? Buffer.alloc(0) : null)
}

function flat(params: Request['params']): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}
