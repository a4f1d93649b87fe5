import type { Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { compile } from 'proxy-addr'

const forwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const

/** Limited, because any client can cause the line. */
const logEveryMs = 3_600_000

/**
 * Logs a hint, at most once an hour, when `X-Forwarded-*` headers are ignored because their sender is not a trusted
 * proxy.
 */
export function logIgnoredForwarding(trustedProxies: readonly string[], logger: Logger): RequestHandler {
  const isTrusted = compile([...trustedProxies])
  let loggedAtMs = -Infinity
  return (request, _response, next) => {
    const nowMs = performance.now()
    if (nowMs - loggedAtMs >= logEveryMs && isForwarded(request) && !isTrusted(addressOf(request), 0)) {
      loggedAtMs = nowMs
      const address = addressOf(request)
      logger.warn(
        { address },
        'Ignored X-Forwarded headers: if the sender is your proxy, add it to TAKT_TRUSTED_PROXIES',
      )
    }
    next()
  }
}

function isForwarded({ headers }: Request): boolean {
  return forwarded.some(name => headers[name] !== undefined)
}

function addressOf({ socket }: Request): string {
  return socket.remoteAddress ?? ''
}
