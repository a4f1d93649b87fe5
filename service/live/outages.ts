import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveCode } from '../../schema/requests/live.ts'

/** Something that the live channels stand on. */
export interface Footing {
  readonly code: LiveCode
  /** What clients are told when it is away. */
  readonly message: string
  /** Rejects, or takes long, while it is away. */
  readonly ping: () => Promise<void>
}

export interface OutageOptions {
  readonly footings: readonly Footing[]
  /** Called once when one of them goes away. */
  readonly onAway: (footing: Footing) => void
  /** Called once when it is back. */
  readonly onBack: (footing: Footing) => void
  readonly signal: AbortSignal
}

const askEveryMs = 1_000
const answerWithinMs = 3_000

/** Watches what the channels stand on, until aborted. */
export async function watchOutages({ footings, onAway, onBack, signal }: OutageOptions): Promise<void> {
  await Promise.all(
    footings.map(async footing => {
      let isAway = false
      while (!signal.aborted) {
        const answers = await isThere(footing, signal)
        if (signal.aborted) return
        if (!answers && !isAway) onAway(footing)
        if (answers && isAway) onBack(footing)
        isAway = !answers
        await sleep(askEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }),
  )
}

async function isThere({ ping }: Footing, stopped: AbortSignal): Promise<boolean> {
  const answered = new AbortController()
  const signal = AbortSignal.any([answered.signal, stopped])
  const late = sleep(answerWithinMs, false, { signal, ref: false }).catch(() => false)
  try {
    return await Promise.race([ping().then(() => true), late])
  } catch {
    return false
  } finally {
    answered.abort()
  }
}
