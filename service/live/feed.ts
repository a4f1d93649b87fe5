import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { reportDamagedRecord } from '../../log/damaged-record.ts'
import type { Problems } from '../../shared/problems.ts'
import { isCompact } from '../../ingest/decode/compact-writer.ts'
import type { Follower, Log, LogRecord } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { untilAvailable } from '../../log/until-available.ts'
import type { Sample } from '../../schema/sample.ts'
import { topics, type LiveKind } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { type LiveOf, startsWithKind, parseLiveMessage } from './message.ts'
import { ValuesReader } from './read-values.ts'
import { LocalValues } from './local-values.ts'

/** Receives the messages of the live topic by kind, in order. A kind without a listener is not parsed. */
export type LiveMessageListener = { readonly [K in LiveKind]?: (message: LiveOf<K>) => void }

/** The messages of the topic live.v1; a process has one feed. */
export interface LiveFeed {
  /**
   * Adds a listener; returns a function that removes it. `needsEvery`: whether the listener needs every value of a
   * machine; default: of all machines. Of other machines, it may receive only the newest value of each metric and
   * future-dated values.
   */
  listen(listener: LiveMessageListener, needsEvery?: (machineRef: MachineRef) => boolean): () => void
  /** Resolves to true when the listeners have received all messages that the topic has now, to false after `withinMs`. */
  caughtUp(withinMs: number): Promise<boolean>
  stop(): Promise<void>
}

const checkEveryMs = 10
/** Reports a record that cannot be read. */
type Skip = (record: LogRecord, error: unknown) => void

interface FeedOptions {
  /** Live values of this process's own ingest, which are not on the topic; null: all values are on the topic. */
  readonly local?: LocalValues | null
  /** Current time, UTC ms; default: the system's clock. */
  readonly clock?: () => number
  /** Receives a problem for each damaged record. */
  readonly problems?: Problems | undefined
}

/** Follows the live topic from its end. */
export async function followLive(
  log: Log,
  logger: Logger,
  { local = null, clock = Date.now, problems }: FeedOptions = {},
): Promise<LiveFeed> {
  const listeners = new Set<LiveMessageListener>()
  const values = local ?? new LocalValues(logger)
  const reader = new ValuesReader()
  const skip: Skip = ({ partition, offset }, error) => {
    logger.error({ err: error, partition, offset }, 'Skipped a damaged record of the live topic')
    reportDamagedRecord(problems, { topic: topics.live, partition, offset, why: 'it is not a live message' })
  }
  const publishValues = (record: LogRecord): void => {
    if (!kinds.includes('values')) return
    try {
      values.publish(reader.read(record, machineRef => values.needsEvery(machineRef), clock() * 1000))
    } catch (error) {
      skip(record, error)
    }
  }
  const starts = await untilAvailable(() => log.endOffsets(topics.live))
  const startOf = (partition: number): number => starts[partition] ?? 0
  const nextOffsets = new Map<number, number>()
  let kinds: readonly LiveKind[] = []
  const follower: Follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: async ({ records }) => {
      const slice = new TimeSlice()
      for (const record of records) {
        if (isCompact(record.value)) publishValues(record)
        else if (!startsWithKind(record.value))
          skip(record, new TypeError('The record does not start with the kind of a message'))
        else for (const kind of kinds) publish(kind, record, [...listeners], { skip, logger })
        nextOffsets.set(record.partition, record.offset + 1)
        if (slice.isOver) await slice.next()
      }
    },
  })
  follower.caughtUp.catch((error: unknown) => logger.warn({ err: error }, 'Failed to read the live topic'))
  return {
    listen(listener, needsEvery = () => true) {
      listeners.add(listener)
      kinds = kindsOf(listeners)
      const publishSamples = (samples: readonly Sample[]) => listener.values?.({ kind: 'values', samples })
      const forget = listener.values && values.listen({ publish: publishSamples, needsEvery })
      return () => {
        forget?.()
        listeners.delete(listener)
        kinds = kindsOf(listeners)
      }
    },
    async caughtUp(withinMs) {
      const untilMs = performance.now() + withinMs
      const ends = await log.endOffsets(topics.live)
      const isBehind = () => ends.some((end, partition) => (nextOffsets.get(partition) ?? startOf(partition)) < end)
      while (isBehind() && performance.now() < untilMs) await sleep(checkEveryMs)
      return !isBehind()
    },
    stop: () => follower.stop(),
  }
}

/**
 * Passes a message of this kind to its listeners. A damaged record or an error of a listener does not end the reading.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties a message to the listeners of its kind
function publish<K extends LiveKind>(
  kind: K,
  record: LogRecord,
  listeners: Iterable<LiveMessageListener>,
  { skip, logger }: { readonly skip: Skip; readonly logger: Logger },
): void {
  const message = readOrSkip(kind, record, skip)
  if (!message) return
  for (const listener of listeners) {
    try {
      listener[kind]?.(message)
    } catch (error) {
      logger.error({ err: error, kind }, 'Failed to process a live message')
    }
  }
}

function readOrSkip<K extends LiveKind>(kind: K, record: LogRecord, skip: Skip): LiveOf<K> | null {
  try {
    return parseLiveMessage(record.value, kind)
  } catch (error) {
    skip(record, error)
    return null
  }
}

/** The kinds of messages that have a listener. */
function kindsOf(listeners: Iterable<LiveMessageListener>): readonly LiveKind[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener has no other members
  return [...new Set([...listeners].flatMap(listener => Object.keys(listener) as LiveKind[]))]
}
