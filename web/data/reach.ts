import { serviceUrl } from '../router/address.ts'

const askEveryMs = 2_000
const askWithinMs = 5_000
/** Maximum delay of the notification that the service is reachable: spreads the requests of open pages. */
const longestBackMs = 3_000

const changes = new EventTarget()
let isLost = false
let isAsking = false

/**
 * Call this if the service did not respond: it polls the service until it is reachable. Listeners are notified of both.
 */
export function checkReach(): void {
  if (isAsking) return
  isAsking = true
  start()
}

function start(): void {
  ask().catch(() => {
    isAsking = false
  })
}

async function ask(): Promise<void> {
  const answers = await fetch(new URL('health', serviceUrl), { signal: AbortSignal.timeout(askWithinMs) }).then(
    isAnswer,
    () => false,
  )
  if (answers && isLost) await new Promise(done => setTimeout(done, Math.random() * longestBackMs))
  if (!answers) setTimeout(start, askEveryMs)
  else isAsking = false
  if (isLost !== answers) return
  isLost = !answers
  changes.dispatchEvent(new Event(isLost ? 'lost' : 'back'))
}

function isAnswer(response: Response): boolean {
  // An unread body holds its connection, and a browser has few of them.
  response.body?.cancel().catch(() => undefined)
  // A proxy before the service answers in its place.
  if (response.status === 502 || response.status === 504) return false
  // A starting service reports its state: it counts as reachable only when it can serve requests.
  return !(isLost && response.status === 503)
}

/** Whether the service does not answer at all, as far as it is known now. */
export function isServiceLost(): boolean {
  return isLost
}

/** Calls back whenever the service answers again after it did not. Returns what ends that. */
export function onBack(listener: () => void): () => void {
  return on('back', listener)
}

/** Calls back whenever the service answers no more. Returns what ends that. */
export function onLost(listener: () => void): () => void {
  return on('lost', listener)
}

function on(type: 'back' | 'lost', listener: () => void): () => void {
  changes.addEventListener(type, listener)
  return () => changes.removeEventListener(type, listener)
}
