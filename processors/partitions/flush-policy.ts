/** How much a batch holds: records of the log, and their bytes there. */
export interface BatchSize {
  readonly records: number
  readonly bytes: number
}

/** Load, subscribers and last read, as they are when a batch or an insert ends. */
export interface FlushInputs {
  readonly size: BatchSize
  /** Duration of the batch or insert. */
  readonly tookMs: number
  /** Time since derived data was last read. */
  readonly unreadMs: number
  /** Whether subscribers receive changes when they are stored. */
  readonly hasSubscribers: boolean
  readonly maxIntervalMs: number
}

export interface FlushPlan {
  /** Time until the next batch or insert begins. */
  readonly intervalMs: number
  /** Part of the interval that a read does not shorten. */
  readonly minIntervalMs: number
  /** Time that an insert of the next batches waits for the rows of further partitions. */
  readonly lingerMs: number
  /** Whether partitions without records wait, too, so that their next records do not cost inserts of their own. */
  readonly holdsIdle: boolean
}

/** Longest time between batches with subscribers, and longest interval that a read does not end: a delay that users of a screen accept. */
const watchedIntervalMs = 250
/** A batch of this size follows immediately: the log may hold more, and its rows cost more than the inserts that a wait would save. */
const fullBatch: BatchSize = { records: 1_000, bytes: 1_000_000 }
/** An insert waits for this part of the interval: 100 ms of 10 s, in which all partitions compute their documents. */
const lingerShare = 1 / 100

const immediately: FlushPlan = { intervalMs: 0, minIntervalMs: 0, lingerMs: 0, holdsIdle: false }

/**
 * Plans the time until the next batch, as inserts cost by their number and hardly by their rows. The interval equals the time since
 * the last read: derived data that is read often is fresh, and data that is not read costs little. With subscribers, the duration of the
 * batch is part of it. A batch that was read during its processing, or under load, is followed by a wait of its own duration: partitions
 * spend at most half of the time on inserts.
 */
export function planFlush({ size, tookMs, unreadMs, hasSubscribers, maxIntervalMs }: FlushInputs): FlushPlan {
  if (size.records >= fullBatch.records || size.bytes >= fullBatch.bytes) return immediately
  const maxMs = hasSubscribers ? Math.min(watchedIntervalMs, maxIntervalMs) : maxIntervalMs
  const minIntervalMs = Math.min(tookMs, watchedIntervalMs, maxMs)
  const wasReadMeanwhile = unreadMs <= tookMs
  const waitMs = Math.min(unreadMs, maxMs) - (hasSubscribers ? tookMs : 0)
  const intervalMs = wasReadMeanwhile ? minIntervalMs : Math.max(minIntervalMs, waitMs)
  return {
    intervalMs,
    minIntervalMs,
    lingerMs: intervalMs * lingerShare,
    holdsIdle: intervalMs > watchedIntervalMs,
  }
}
