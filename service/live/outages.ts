import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../shared/async/with-timeout.ts'

interface OutageOptions {
  /** Rejects or times out while the dependency is unavailable. */
  readonly ping: () => Promise<void>
  /** Called once when the dependency becomes unavailable. */
  readonly onUnavailable: () => void
  /** Called once when the dependency is available again. */
  readonly onAvailable: () => void
}

const pollEveryMs = 1_000
const timeoutMs = 3_000

/** Polls a dependency of the live channels until the signal aborts. */
export async function watchOutages(
  { ping, onUnavailable, onAvailable }: OutageOptions,
  signal: AbortSignal,
): Promise<void> {
  let wasUp = true
  while (!signal.aborted) {
    const pinged = ping().then(
      () => true,
      () => false,
    )
    const isUp = await withTimeout(timeoutMs, pinged, () => false, { signal, ref: false })
    if (signal.aborted) return
    if (wasUp && !isUp) onUnavailable()
    if (!wasUp && isUp) onAvailable()
    wasUp = isUp
    await sleep(pollEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
