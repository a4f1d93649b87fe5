import express, { type ErrorRequestHandler } from 'express'
import helmet from 'helmet'
import type { Registry } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import { notFound } from '../schema/errors.ts'
import type { App } from './app/app-files.ts'
import { serveApp } from './app/serve-app.ts'
import { docsAssets } from './docs/assets.ts'
import { createBodyBudget } from './http/body-budget.ts'
import { boundRequest, limitRequests } from './http/limits.ts'
import { type CallerDeps, requireCaller } from './http/caller.ts'
import { cors, noStore } from './http/headers.ts'
import { errorReply, fieldErrorLimitsOf, isGivenUp } from './http/errors.ts'
import { logIgnoredForwarding } from './http/forwarded.ts'
import { mount, type MountDeps, onOver, rejectOtherMethods } from './http/mount.ts'
import { clientGone, observe, requestIdOf } from './http/observe.ts'
import { openApi, type OpenApi } from './http/openapi.ts'
import type { DepsOf, Route } from './http/route.ts'
import { requireSameOrigin } from './http/same-origin.ts'
import type { ApiSettings } from './ports/settings.ts'
import { csvPaths } from './routes/csv.ts'
import { routeGroups } from './routes/groups.ts'
import { openApiRoute } from './routes/service.ts'

const documentRoute = openApiRoute(() => openApiDocument())

const groups = routeGroups(documentRoute)

/** Parts of the process that the HTTP service needs: those of its routes and of the handlers before them. */
export type ApiDeps = DepsOf<(typeof groups)[number]['routes'][number]> & ServiceDeps

interface ServiceDeps extends CallerDeps, MountDeps {
  readonly app: App | null
  /** Called when a page of the application is opened, which then reads derived data. */
  readonly expectReads: () => void
  readonly metrics: Registry
  readonly settings: ApiSettings
}

/** Every route of the service. */
export const routes: readonly Route<ApiDeps>[] = groups.flatMap<Route<ApiDeps>>(group => group.routes)

let made: OpenApi | undefined

/** The document of `GET /openapi.json`, built at the first request because that takes a tenth of a second of CPU. */
export function openApiDocument(): OpenApi {
  return (made ??= openApi(groups, packageJson.version))
}

/** Creates the HTTP service: page, routes (of this process; default: all) and errors. It does not listen yet. */
export function createApi(deps: ApiDeps, served: readonly Route<ApiDeps>[] = routes): express.Express {
  const app = express()
  const { bodiesBytes, publicBodyBytes, ingest, json } = deps.settings
  const budget = createBodyBudget({
    bytes: Math.max(bodiesBytes, ingest.bytes, json.bytes),
    publicBytes: publicBodiesAtOnce * publicBodyBytes,
    isShared: () => deps.records.companies().length > 1,
    onOver,
  })
  app.disable('x-powered-by')
  app.set('json escape', false)
  app.set('trust proxy', [...deps.settings.trustedProxies])
  app.use(observe(deps.logger, deps.metrics))
  app.use(logIgnoredForwarding(deps.settings.trustedProxies, deps.logger))
  app.use(helmet(headers), noStore)
  app.use(cors(deps.settings.corsOrigins))
  app.use(boundRequest(deps.settings))
  if (deps.app) app.use(serveApp(deps.app, deps.expectReads))
  app.use(docsAssets())
  // Routes with their own handlers accept no cookie, so any page may call them.
  const servesItself = ({ serve }: Route) => serve !== undefined
  for (const route of served) if (servesItself(route)) mount(app, route, deps, budget)
  rejectOtherMethods(app, served, routesOfPath => routesOfPath.every(servesItself))
  app.use(requireSameOrigin())
  const isPublic = ({ scope }: Route) => scope === 'public'
  for (const route of served) if (isPublic(route)) mount(app, route, deps, budget)
  rejectOtherMethods(app, served, routesOfPath => routesOfPath.every(isPublic))
  app.use(requireCaller(deps, csvPaths), limitRequests(deps.settings.requestsPerMinute))
  for (const route of served) if (!isPublic(route) && !servesItself(route)) mount(app, route, deps, budget)
  rejectOtherMethods(app, served, () => true)
  app.use(() => {
    throw notFound()
  })
  app.use(answerError(deps))
  return app
}

/** Number of concurrent bodies of the maximum size without a key. */
const publicBodiesAtOnce = 64

/**
 * The page loads only from this service. No HSTS: TLS ends at a proxy, which sets it, and plain http must work in a
 * plant's network.
 */
const headers = {
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
} as const

function answerError({ logger }: Pick<ApiDeps, 'logger'>): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = requestIdOf(request)
    const { status, headers, body } = errorReply(error, requestId, fieldErrorLimitsOf(request))
    const fields = { err: error, requestId, method: request.method, path: request.path }
    if (response.closed && isGivenUp(error)) logger.debug({ ...fields, status: clientGone }, 'Client disconnected')
    else if (status >= 500) logger.error(fields, 'Request failed')
    if (response.headersSent) {
      // An incomplete response must not look complete.
      response.destroy()
      return
    }
    response.status(status).set(headers).json(body)
  }
}
