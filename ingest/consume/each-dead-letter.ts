import type { Log } from '../../log/log.ts'
import { unavailable } from '../../schema/errors.ts'
import { type DeadLetter, topics } from '../../schema/topics.ts'
import { deferred } from '../../shared/async/deferred.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import { flatten } from '../decode/record.ts'
import { waitAtMost } from '../../shared/async/wait-at-most.ts'
import { WorkSlice } from '../../shared/async/work-slice.ts'

export interface ReadingOptions {
  /** Ends the reading early. */
  readonly signal?: AbortSignal
  /** Longest time of the reading; a minute unless given. */
  readonly mostMs?: number
}

/** Visits dead letters of one batch of the log. */
type Visit = (deadLetters: AsyncIterable<DeadLetter>) => Promise<void>

/**
 * Goes through the dead letters that are there now; others get their turn in between. Rejects with what `visit` rejects with, and with an
 * `ApiError` 503 where the time is over or the signal aborts. A record that is no dead letter is passed over.
 */
export async function eachDeadLetter(
  log: Pick<Log, 'follow'>,
  visit: Visit,
  { signal, mostMs = minuteMs }: ReadingOptions = {},
): Promise<void> {
  const failed = deferred<never>()
  failed.promise.catch(() => undefined)
  const state = { isOver: false }
  const slice = new WorkSlice()
  async function* lettersOf(values: readonly Buffer[]): AsyncGenerator<DeadLetter> {
    for (const value of values) {
      if (state.isOver) return
      if (slice.isOver) await slice.next()
      const deadLetter = readDeadLetter(value)
      if (deadLetter) yield deadLetter
    }
  }
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: async ({ records }) => {
      if (state.isOver) return
      try {
        await visit(lettersOf(records.map(({ value }) => value)))
      } catch (error) {
        // A rejection would bring the same batch again, for ever.
        state.isOver = true
        failed.reject(error)
      }
    },
  })
  try {
    const late = () => Promise.reject(unavailable('Reading the dead letters takes too long now', 30))
    await waitAtMost(mostMs, Promise.race([follower.caughtUp, failed.promise]), late, signal ? { signal } : {})
  } finally {
    state.isOver = true
    await waitAtMost(secondMs, follower.stop(), () => undefined)
  }
}

/** Number of samples in a dead letter, which may hold many of one record; 1 if it is unreadable. */
export function samplesIn({ value }: Pick<DeadLetter, 'value'>): number {
  try {
    return Math.max(1, flatten(JSON.parse(value)).length)
  } catch {
    return 1
  }
}

function readDeadLetter(value: Buffer): DeadLetter | null {
  try {
    const json: DeadLetter | null = JSON.parse(value.toString())
    return typeof json?.reason === 'string' && typeof json.value === 'string' ? json : null
  } catch {
    return null
  }
}
