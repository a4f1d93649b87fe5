import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isCompact } from '../../ingest/decode/compact-samples.ts'
import type { Follower, Log, LogRecord } from '../../log/log.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { untilAvailable } from '../../log/until-available.ts'
import type { Sample } from '../../schema/sample.ts'
import { topics, type LiveKind } from '../../schema/topics.ts'
import { WorkSlice } from '../../shared/async/work-slice.ts'
import { type LiveOf, readLive } from './message.ts'
import { ValuesReader } from './read-values.ts'
import { ValuesHere } from './values-here.ts'

/** Is told the messages of the live topic by their kinds, in order. Where no listener has a kind, the process does not parse it. */
export type LiveMessageListener = { readonly [K in LiveKind]?: (message: LiveOf<K>) => void }

/** The one follower of live.v1 in this process. */
export interface LiveFeed {
  /**
   * From now on; returns what ends it. `wantsEvery`: whether every value of a machine is to be told; where it is not, those that are told may
   * be the newest of each metric alone, and those ahead of the clock. By default every one.
   */
  listen(listener: LiveMessageListener, wantsEvery?: (machineRef: MachineRef) => boolean): () => void
  /** Resolves to true when the listeners were told what is in the topic now, to false after `withinMs`. */
  caughtUp(withinMs: number): Promise<boolean>
  stop(): Promise<void>
}

const askEveryMs = 10
const damaged = 'a record of the live topic is damaged and was passed over'

interface FeedOptions {
  /** Values that this process's own ingest tells, beside the topic; null: all come by the topic. */
  readonly here?: ValuesHere | null
  /** UTC ms; the system's clock by default. */
  readonly clock?: () => number
}

/** Follows the live topic from its end. */
export async function followLive(
  log: Log,
  logger: Logger,
  { here = null, clock = Date.now }: FeedOptions = {},
): Promise<LiveFeed> {
  const listeners = new Set<LiveMessageListener>()
  const values = here ?? new ValuesHere(logger)
  const reader = new ValuesReader()
  const handOnValues = (record: LogRecord): void => {
    if (!kinds.includes('values')) return
    try {
      values.tell(reader.read(record, machineRef => values.wantsEvery(machineRef), clock() * 1000))
    } catch (error) {
      logger.error({ err: error, kind: 'values' }, damaged)
    }
  }
  const starts = await untilAvailable(() => log.endOffsets(topics.live))
  const startOf = (partition: number): number => starts[partition] ?? 0
  const told = new Map<number, number>()
  let kinds: readonly LiveKind[] = []
  const follower: Follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: async ({ records }) => {
      const slice = new WorkSlice()
      for (const record of records) {
        if (isCompact(record.value)) handOnValues(record)
        else for (const kind of kinds) handOn(kind, record.value, [...listeners], logger)
        told.set(record.partition, record.offset + 1)
        if (slice.isOver) await slice.next()
      }
    },
  })
  follower.caughtUp.catch((error: unknown) => logger.warn({ err: error }, 'live topic not read'))
  return {
    listen(listener, wantsEvery = () => true) {
      listeners.add(listener)
      kinds = kindsOf(listeners)
      const tell = (samples: readonly Sample[]) => listener.values?.({ kind: 'values', samples })
      const forget = listener.values && values.listen({ tell, wantsEvery })
      return () => {
        forget?.()
        listeners.delete(listener)
        kinds = kindsOf(listeners)
      }
    },
    async caughtUp(withinMs) {
      const untilMs = performance.now() + withinMs
      const ends = await log.endOffsets(topics.live)
      const isBehind = () => ends.some((end, partition) => (told.get(partition) ?? startOf(partition)) < end)
      while (isBehind() && performance.now() < untilMs) await sleep(askEveryMs)
      return !isBehind()
    },
    stop: () => follower.stop(),
  }
}

/** Tells a message of this kind. A record that is damaged is logged, and so is a listener that throws: the topic is read on. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties a message to those who are told of its kind
function handOn<K extends LiveKind>(
  kind: K,
  value: Buffer,
  listeners: Iterable<LiveMessageListener>,
  logger: Logger,
): void {
  const message = readOrLog(kind, value, logger)
  if (!message) return
  for (const listener of listeners) {
    try {
      listener[kind]?.(message)
    } catch (error) {
      logger.error({ err: error, kind }, 'a live message was not told')
    }
  }
}

function readOrLog<K extends LiveKind>(kind: K, value: Buffer, logger: Logger): LiveOf<K> | null {
  try {
    return readLive(value, kind)
  } catch (error) {
    logger.error({ err: error, kind }, damaged)
    return null
  }
}

/** Kinds that somebody listens to. */
function kindsOf(listeners: Iterable<LiveMessageListener>): readonly LiveKind[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener has no other members
  return [...new Set([...listeners].flatMap(listener => Object.keys(listener) as LiveKind[]))]
}
