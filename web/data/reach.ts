import { serviceUrl } from '../router/address.ts'

const pollEveryMs = 2_000
const timeoutMs = 5_000
/** Maximum delay of the notification that the service is reachable: spreads the requests of open pages. */
const maxBackDelayMs = 3_000

const changes = new EventTarget()
let isLost = false
let isPolling = false

/** Polls the service, which did not respond, until it is reachable. Notifies listeners of both. */
export function checkReach(): void {
  if (isPolling) return
  isPolling = true
  start()
}

function start(): void {
  poll().catch(() => {
    isPolling = false
  })
}

async function poll(): Promise<void> {
  const isUp = await fetch(new URL('health', serviceUrl), { signal: AbortSignal.timeout(timeoutMs) }).then(
    isReachable,
    () => false,
  )
  if (isUp && isLost) await new Promise(done => setTimeout(done, Math.random() * maxBackDelayMs))
  if (!isUp) setTimeout(start, pollEveryMs)
  else isPolling = false
  if (isLost !== isUp) return
  isLost = !isUp
  changes.dispatchEvent(new Event(isLost ? 'lost' : 'back'))
}

function isReachable(response: Response): boolean {
  // An unread body keeps its connection open, and a browser has few of them.
  response.body?.cancel().catch(() => undefined)
  // A proxy responds instead of the service.
  if (response.status === 502 || response.status === 504) return false
  // A starting service reports its state: it counts as reachable only when it can serve requests.
  return !(isLost && response.status === 503)
}

/** Whether the service does not answer at all, as far as it is known now. */
export function isServiceLost(): boolean {
  return isLost
}

/** Calls `listener` when the service responds again after an outage. Returns the function that ends the calls. */
export function onBack(listener: () => void): () => void {
  return on('back', listener)
}

/** Calls `listener` when the service no longer responds. Returns the function that ends the calls. */
export function onLost(listener: () => void): () => void {
  return on('lost', listener)
}

function on(type: 'back' | 'lost', listener: () => void): () => void {
  changes.addEventListener(type, listener)
  return () => changes.removeEventListener(type, listener)
}
