import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import type { LiveCode } from '../../schema/requests/live.ts'

/** A service that the live channels depend on. */
export interface Dependency {
  readonly code: LiveCode
  /** Message for clients while it is unavailable. */
  readonly message: string
  /** Rejects, or times out, while it is unavailable. */
  readonly ping: () => Promise<void>
}

export interface OutageOptions {
  readonly dependencies: readonly Dependency[]
  /** Called once when a dependency becomes unavailable. */
  readonly onUnavailable: (dependency: Dependency) => void
  /** Called once when a dependency is available again. */
  readonly onAvailable: (dependency: Dependency) => void
  readonly signal: AbortSignal
}

const pollEveryMs = 1_000
const timeoutMs = 3_000

/** Polls the dependencies until the signal aborts. */
export async function watchOutages({ dependencies, onUnavailable, onAvailable, signal }: OutageOptions): Promise<void> {
  await Promise.all(
    dependencies.map(async dependency => {
      let isUnavailable = false
      while (!signal.aborted) {
        const isUp = await isAvailable(dependency, signal)
        if (signal.aborted) return
        if (!isUp && !isUnavailable) onUnavailable(dependency)
        if (isUp && isUnavailable) onAvailable(dependency)
        isUnavailable = !isUp
        await sleep(pollEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }),
  )
}

async function isAvailable({ ping }: Dependency, stopped: AbortSignal): Promise<boolean> {
  const result = ping().then(
    () => true,
    () => false,
  )
  return withTimeout(timeoutMs, result, () => false, { signal: stopped, ref: false })
}
