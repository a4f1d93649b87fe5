import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { Histogram, type Registry } from 'prom-client'
import { beginWork } from '../../shared/async/work-in-progress.ts'
import { callerIfAny } from './caller.ts'

/** Logged status if the client disconnected before the response began, as in nginx. It is never sent. */
export const clientGone = 499

const ids = new WeakMap<Request, string>()

/** The id of a request, which is also in the header `X-Request-Id`. */
export function requestIdOf(request: Request): string {
  return ids.get(request) ?? ''
}

/** Assigns an id to every request, logs it without its query (which may have a token) and measures its duration. */
export function observe(logger: Logger, metrics: Registry): RequestHandler {
  const duration = durationIn(metrics)
  return (request, response, next) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    ids.set(request, requestId)
    response.set('X-Request-Id', requestId)
    const end = beginWork(() => `${request.method} ${routeOf(request)}`)
    response.once('close', () => {
      end()
      const durationMs = performance.now() - startedAt
      const { method } = request
      const { statusCode, writableFinished, headersSent } = response
      const status = writableFinished || headersSent ? statusCode : clientGone
      duration.observe({ method, route: routeOf(request), status }, durationMs / 1000)
      const caller = callerIfAny(request)?.id
      const { path } = request
      logger.debug({ requestId, method, path, status, durationMs, caller, aborted: !writableFinished }, 'answered')
    })
    next()
  }
}

/** The pattern instead of the path, because each id would be a time series of its own. */
function routeOf(request: Request): string {
  const route: unknown = request.route
  const isRoute = typeof route === 'object' && route !== null && 'path' in route
  return isRoute && typeof route.path === 'string' ? route.path : 'none'
}

function durationIn(metrics: Registry): Histogram<'method' | 'route' | 'status'> {
  return new Histogram({
    name: 'takt_http_request_duration_seconds',
    help: 'Duration from the first byte of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  })
}
