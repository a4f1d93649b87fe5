import { reportDamagedRecord } from '../../log/damaged-record.ts'
import type { Log, LogRecord } from '../../log/log.ts'
import type { Problems } from '../../shared/problems.ts'
import { unavailable } from '../../schema/errors.ts'
import { type DeadLetter, topics } from '../../schema/topics.ts'
import { deferred } from '../../shared/async/deferred.ts'
import { minuteMs, secondMs } from '../../shared/time/units.ts'
import { flatten } from '../decode/json.ts'
import type { SentSample } from '../decode/validate.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'

export interface ReadingOptions {
  /** Ends the reading early. */
  readonly signal?: AbortSignal
  /** Time limit of the reading; default: a minute. */
  readonly timeoutMs?: number
  /** Where records that are not dead letters are reported. */
  readonly problems?: Problems | undefined
}

/** Visits the dead letters of one batch of the log. */
type Visit = (deadLetters: AsyncIterable<DeadLetter>) => Promise<void>

/**
 * Reads the dead letters that the log has now; yields to the event loop. Rejects with the error of `visit`, and with an `ApiError` 503 if the
 * time is over or the signal aborts. A record that is not a dead letter is skipped and reported.
 */
export async function eachDeadLetter(
  log: Pick<Log, 'follow'>,
  visit: Visit,
  { signal, timeoutMs = minuteMs, problems }: ReadingOptions = {},
): Promise<void> {
  const failed = deferred<never>()
  failed.promise.catch(() => undefined)
  const state = { isOver: false }
  const slice = new TimeSlice()
  async function* lettersOf(records: readonly LogRecord[]): AsyncGenerator<DeadLetter> {
    for (const { value, topic, partition, offset } of records) {
      if (state.isOver) return
      if (slice.isOver) await slice.next()
      const deadLetter = readDeadLetter(value)
      if (deadLetter) yield deadLetter
      else reportDamagedRecord(problems, { topic, partition, offset, why: 'it is not a dead letter' })
    }
  }
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: async ({ records }) => {
      if (state.isOver) return
      try {
        await visit(lettersOf(records))
      } catch (error) {
        // A rejection would deliver the same batch again.
        state.isOver = true
        failed.reject(error)
      }
    },
  })
  try {
    const late = () => Promise.reject(unavailable('Reading the dead letters took too long. Retry later.', 30))
    await withTimeout(timeoutMs, Promise.race([follower.caughtUp, failed.promise]), late, signal ? { signal } : {})
  } finally {
    state.isOver = true
    await withTimeout(secondMs, follower.stop(), () => undefined)
  }
}

/** Returns the samples of a dead letter; none if it is unreadable. */
export function readSamples({ value }: Pick<DeadLetter, 'value'>): readonly SentSample[] {
  try {
    return flatten(JSON.parse(value))
  } catch {
    return []
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
