import type { RequestListener } from 'node:http'
import { rejectUpgrade } from '../../api/live/transport/server.ts'
import type { Upgrades } from './listen.ts'

/** Handles the requests of a port until the service is ready. */
export interface PortGate {
  readonly request: RequestListener
  readonly upgrades: Upgrades
  /** Passes all further requests to the handlers of the service. */
  open(request: RequestListener, upgrades: Upgrades | null): void
}

/** Creates a gate that responds 503 until it is opened, and 200 on `/health/live`. */
export function createPortGate(): PortGate {
  let request: RequestListener = respondStarting
  let upgrades: Upgrades | null = null
  return {
    request: (...exchange) => request(...exchange),
    upgrades: {
      accepts: url => upgrades?.accepts(url) ?? false,
      upgrade: (...handshake) =>
        upgrades ? upgrades.upgrade(...handshake) : rejectUpgrade(handshake[1], '503 Service Unavailable'),
    },
    open(nextRequest, nextUpgrades) {
      request = nextRequest
      upgrades = nextUpgrades
    },
  }
}

const respondStarting: RequestListener = (request, response) => {
  const isLive = request.url === '/health/live'
  const body = isLive ? { status: 'ok' } : { code: 'Unavailable', message: 'The service is starting', errors: [] }
  response.writeHead(isLive ? 200 : 503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(!isLive && { 'Retry-After': '2' }),
  })
  response.end(JSON.stringify(body))
}
