import { Readable } from 'node:stream'
import type { Express, Request, RequestHandler, Response } from 'express'
import { coerceToSchema, coerceInSteps } from '../../schema/coerce.ts'
import { validationError, type FieldError, ApiError } from '../../schema/errors.ts'
import { jsonOf as schemaJson, type Schema } from '../../schema/types.ts'
import { type AccessRule, allows, insufficientScope } from '../auth/scopes.ts'
import type { CommandsPort } from '../ports/ports.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { shedBodies, type BodyBudget } from './body-budget.ts'
import { callerOf } from './caller.ts'
import { clientAddressOf, baseUrlOf } from './forwarded.ts'
import { sendText, type FileResponse, sendFile, hasStreamedList, sendStreamed } from './respond.ts'
import { findOnlyCookie } from './cookie.ts'
import { setFieldErrorLimits } from './errors.ts'
import { runIdempotently } from './idempotency.ts'
import { convertQuery } from './query.ts'
import { readBytes, requireUtf8, hasLargeBody, parsedBody, readJson } from './read-body.ts'
import { nearMisses, type Warning, warningHeader } from './warnings.ts'
import { JsonList } from '../json/write-json.ts'
import { StaticContent } from '../static/static-content.ts'
import type { BodySpec, Call, Method, Route } from './route.ts'
import { formOf, readUpload } from './upload.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { createChecker } from '../../schema/check.ts'

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
  if (route.fieldErrorLimits) before.push(setFieldErrorLimits(route.fieldErrorLimits))
  if (route.scope !== 'public') before.push(requireScope(route.scope))
  if (route.enter) before.push(reserveSlot(route.enter, deps))
  if (route.body) before.push(...readBody(route.body, route.scope === 'public', deps.settings, budget))
  const validate = checksOf(route)
  const handle = async (request: Request, response: Response) => {
    const { call, warnings } = await callOf(route, request, response)
    if (warnings.inHeader.length > 0) response.set('Takt-Warnings', warningHeader(warnings.inHeader))
    response.status(route.status ?? 200)
    const answered = await runIdempotently(route, request, call, deps, async within => {
      const { errors, more } = validate(call, hasLargeBody(request))
      if (errors.length > 0) throw validationError(errors, more)
      return route.handle(call, within)
    })
    return { call, warnings, answered }
  }
  app[verbs[route.method]](route.path, ...before, async (request, response) => {
    const handled = handle(request, response)
    inProgress.set(request, handled)
    const { call, warnings, answered } = await handled
    const answer = withWarnings(answered, warnings.inBody, response)
    if (isFile(answer)) await sendFile(response, answer)
    else if (!call.signal.aborted) await send(response, route.output, answer)
  })
}

/** Adds warnings to a response that is an object; otherwise they are in the header. */
function withWarnings(answer: unknown, warnings: readonly Warning[], response: Response): unknown {
  if (warnings.length === 0) return answer
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  if (isObject && !isFile(answer) && !(answer instanceof JsonList)) {
    const own: readonly unknown[] = 'warnings' in answer && Array.isArray(answer.warnings) ? answer.warnings : []
    return { ...answer, warnings: [...own, ...warnings] }
  }
  response.set('Takt-Warnings', warningHeader(warnings))
  return answer
}

async function send(response: Response, output: Route['output'], answer: unknown): Promise<void> {
  if (answer instanceof StaticContent) await answer.send(response)
  else if (hasStreamedList(answer)) await sendStreamed(response, answer)
  else if (typeof output === 'object') await sendText(response.type('application/json'), JSON.stringify(answer))
  else await sendText(response.type(output === 'html' ? 'text/html' : 'text/plain'), String(answer))
}

function isFile(answer: unknown): answer is FileResponse {
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
function reserveSlot<Deps>(enter: NonNullable<Route<Deps>['enter']>, deps: Deps): RequestHandler {
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
    if (handled) crashOnRejection(handled.then(over, over))
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
    return [requireUtf8, budget.reserve(ingest.bytes), shedBodies(ingest.bytes, onOver), read, budget.settle()]
  }
  const bounds = isPublic ? { ...json, bytes: Math.min(json.bytes, publicBodyBytes) } : json
  return [budget.reserve(bounds.bytes), ...readJson(bounds), budget.settle()]
}

/** Creates the check of a call. A large body for the registrar is checked here too, so an invalid one is not sent. */
function checksOf({ params, query, body }: Route): (call: Call, isLarge: boolean) => ValidationResult {
  const byHandler = body !== undefined && body.checked !== 'before'
  const checkParams = checkOf(byHandler ? undefined : params)
  const checkQuery = checkOf(query)
  const checkBody = checkOf(body?.checked === 'by handler' ? undefined : body?.schema)
  return (call, isLarge) => {
    const found = [checkParams(call.params), checkQuery(call.query)]
    if (!byHandler || isLarge) found.push(checkBody(call.body))
    return {
      errors: found.flatMap(({ errors }) => errors),
      more: found.reduce((sum, { more }) => sum + more, 0),
    }
  }
}

/** Warnings about the query (`inHeader`) and about the body (`inBody`). */
interface Warnings {
  readonly inHeader: readonly Warning[]
  readonly inBody: readonly Warning[]
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
  const inBody = route.body?.kind === 'json' ? nearMisses(parsedBody(request), route.body.schema) : []
  const body = await parseBody(route, request)
  const call: Call = {
    params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
    query,
    body,
    contentType: request.headers['content-type'],
    caller: () => callerOf(request),
    baseUrl: baseUrlOf(request),
    address: clientAddressOf(request),
    cookie: name => findOnlyCookie(request, name),
    signal: abort.signal,
    setStatus: status => void response.status(status),
    setHeader: (name, value) => void (name === 'Set-Cookie' ? response.append(name, value) : response.set(name, value)),
  }
  return { call, warnings: { inHeader, inBody } }
}

/** The body, converted by its schema; null, or no bytes, without a body: schemas do not support undefined. */
async function parseBody({ body }: Route, request: Request): Promise<unknown> {
  if (body?.kind === 'form') return formOf(request)
  if (body?.kind === 'json') {
    const [given, schema] = [parsedBody(request), schemaJson(body.schema)]
    if (!hasLargeBody(request)) return coerceToSchema(given, schema)
    return runCooperatively(coerceInSteps(given, schema, body.checked === 'by registrar' ? 'left out' : 'kept'))
  }
  const given: unknown = request.body
  return given ?? (body?.kind === 'raw' ? Buffer.alloc(0) : null)
}

/** Field errors of a value, and the number of further ones; none: valid. */
interface ValidationResult {
  readonly errors: readonly FieldError[]
  readonly more: number
}

type Check = (value: unknown) => ValidationResult

const none: ValidationResult = { errors: [], more: 0 }

/** Validates by the same function as the registrar validates commands, so that formats and errors are equal. */
function checkOf(schema: Schema | undefined): Check {
  if (schema === undefined) return () => none
  const check = createChecker(schema)
  return value => {
    const checked = check(value)
    return 'value' in checked ? none : checked
  }
}

/** Responds 405 if a path exists without the method of the request. Called after the routes are mounted. */
export function rejectOtherMethods(
  app: Express,
  routes: readonly Route[],
  isMeant: (routesOfPath: readonly Route[]) => boolean,
): void {
  for (const path of new Set(routes.map(each => each.path))) {
    const routesOfPath = routes.filter(each => each.path === path)
    if (!isMeant(routesOfPath)) continue
    const own = routesOfPath.map(({ method }) => method)
    const allow = own.includes('GET') ? [...own, 'HEAD'] : own
    // `app.all` would create a layer for each HTTP method, which takes 60 ms of CPU at each start.
    app.route(path).all(({ method }) => {
      throw new ApiError(405, 'MethodNotAllowed', `${method} is not allowed for ${path}: use ${allow.join(', ')}`, {
        allow,
      })
    })
  }
}
