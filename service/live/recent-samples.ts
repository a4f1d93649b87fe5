import type { Pace } from '../../processors/partitions/pace.ts'
import type { Log } from '../../log/log.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import { waitAtMost } from '../../shared/async/wait-at-most.ts'
import { mostRawRestMs } from './rests.ts'
import { ingested } from './ingested.ts'

/** A read waits no longer for samples that are on their way into the store. */
const withinMs = 1_000
/** Older samples are in the store, as long as it takes any: a rest between inserts is half as long at most. */
const recentMs = 2 * mostRawRestMs

interface RecentSamplesParts {
  readonly log: Log
  readonly pace: Pick<Pace, 'asked'>
  /** UTC ms. */
  readonly clock: () => number
}

/**
 * Makes what reads of raw samples call before they ask the store: it resolves when the samples that were accepted before are in the store, or a
 * second has passed. A range that ends more than a minute ago, at `toMs`, waits for nothing. Never rejects. Where several processes share the
 * log nobody waits: samples rest for a second at most there, and a request to one process ends no rest of another.
 */
export function createRecentSamples({ log, pace, clock }: RecentSamplesParts): (toMs: number) => Promise<void> {
  if (log.kind !== 'embedded') return async () => undefined
  const ask = () => pace.asked()
  const caughtUp = coalesce(() => ingested(log, withinMs, { ask }).catch(() => false))
  return async toMs => {
    if (toMs <= clock() - recentMs) return
    await waitAtMost(withinMs, caughtUp(), () => undefined)
  }
}
