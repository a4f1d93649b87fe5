import { setTimeout as sleep } from 'node:timers/promises'
import { waitAtMost } from '../../shared/async/wait-at-most.ts'
import type { LiveCode } from '../../schema/requests/live.ts'

/** Something that the live channels depend on. */
export interface Dependency {
  readonly code: LiveCode
  /** Message for clients when it is away. */
  readonly message: string
  /** Rejects, or takes long, while it is away. */
  readonly ping: () => Promise<void>
}

export interface OutageOptions {
  readonly dependencies: readonly Dependency[]
  /** Called once when one of them goes away. */
  readonly onAway: (dependency: Dependency) => void
  /** Called once when it is back. */
  readonly onBack: (dependency: Dependency) => void
  readonly signal: AbortSignal
}

const askEveryMs = 1_000
const answerWithinMs = 3_000

/** Watches what the channels depend on, until aborted. */
export async function watchOutages({ dependencies, onAway, onBack, signal }: OutageOptions): Promise<void> {
  await Promise.all(
    dependencies.map(async dependency => {
      let isAway = false
      while (!signal.aborted) {
        const answers = await isThere(dependency, signal)
        if (signal.aborted) return
        if (!answers && !isAway) onAway(dependency)
        if (answers && isAway) onBack(dependency)
        isAway = !answers
        await sleep(askEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }),
  )
}

async function isThere({ ping }: Dependency, stopped: AbortSignal): Promise<boolean> {
  const answers = ping().then(
    () => true,
    () => false,
  )
  return waitAtMost(answerWithinMs, answers, () => false, { signal: stopped, ref: false })
}
