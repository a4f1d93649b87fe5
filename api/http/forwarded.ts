import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import type { Logger } from 'pino'
import { compile } from 'proxy-addr'

/** The caller's address for limits: an IPv6 network counts as one, because its owner has all of it. */
export function clientAddressOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '')
}

/** The URL of this service for the caller: from `X-Forwarded-*` of a trusted proxy, otherwise from the request. */
export function baseUrlOf(request: Request): string {
  const { host, 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': forwardedProto } = request.headers
  // The common case, without the check of the proxy's address.
  if (forwardedHost === undefined && forwardedProto === undefined) return `http://${host ?? 'localhost'}`
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host ?? 'localhost'}`
}

const forwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const

/** Limited, because any client can cause the line. */
const logEveryMs = 3_600_000

/** Logs a hint, at most hourly, when `X-Forwarded-*` headers are ignored: their sender is not a trusted proxy. */
export function logIgnoredForwarding(trustedProxies: readonly string[], logger: Logger): RequestHandler {
  const isTrusted = compile([...trustedProxies])
  let loggedAtMs = -Infinity
  return (request, _response, next) => {
    const nowMs = performance.now()
    const address = request.socket.remoteAddress ?? ''
    const isForwarded = forwarded.some(name => request.headers[name] !== undefined)
    if (nowMs - loggedAtMs >= logEveryMs && isForwarded && !isTrusted(address, 0)) {
      loggedAtMs = nowMs
      logger.warn(
        { address },
        'Ignored X-Forwarded headers: if the sender is your proxy, add it to TAKT_TRUSTED_PROXIES',
      )
    }
    next()
  }
}
