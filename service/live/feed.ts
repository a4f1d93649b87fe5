import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Follower, Log, LogRecord } from '../../log/log.ts'
import { topics, type LiveMessage, type LiveStatus, type MachineFault, type Progress } from '../../schema/topics.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { WorkSlice } from '../../shared/async/work-slice.ts'
import { type LiveOf, readLive } from './message.ts'
import type { ValuesHere } from './values-here.ts'

/** Is told the messages of the live topic, in order. Without a listener for values, the process does not parse them. */
export interface LiveMessageListener {
  /** Told of values of this process's own ingest without the topic, where there are any. */
  readonly values?: (samples: readonly Sample[]) => void
  readonly statuses?: (statuses: readonly LiveStatus[]) => void
  readonly progress?: (progress: Progress) => void
  /** Documents of the machines were stored. */
  readonly documents?: (machines: readonly MachineRef[]) => void
  /** Alarms of the machines were given ids. */
  readonly alarmIds?: (machines: readonly MachineRef[]) => void
  /** Faults of machines as one process (`source`) counts them. */
  readonly faults?: (source: string, faults: readonly MachineFault[]) => void
}

/** The one follower of live.v1 in this process. */
export interface LiveFeed {
  /** From now on; returns what ends it. */
  listen(listener: LiveMessageListener): () => void
  /** Resolves when the listeners were told what is in the topic now, or after `withinMs`. */
  caughtUp(withinMs: number): Promise<void>
  stop(): Promise<void>
}

const askEveryMs = 10

/** Follows the live topic from its end. `here`: values that this process's own ingest tells, beside it; null: all come by the topic. */
export async function followLive(log: Log, logger: Logger, here: ValuesHere | null = null): Promise<LiveFeed> {
  const listeners = new Set<LiveMessageListener>()
  const starts = await log.endOffsets(topics.live)
  const startOf = (partition: number): number => starts[partition] ?? 0
  const told = new Map<number, number>()
  const follower: Follower = await log.follow({
    topic: topics.live,
    from: 'latest',
    onBatch: async ({ records }) => {
      const slice = new WorkSlice()
      for (const record of records) {
        handOn(record, [...listeners], logger)
        told.set(record.partition, record.offset + 1)
        if (slice.isOver) await slice.next()
      }
    },
  })
  follower.caughtUp.catch((error: unknown) => logger.warn({ err: error }, 'live topic not read'))
  return {
    listen(listener) {
      listeners.add(listener)
      const forget = listener.values && here?.listen(listener.values)
      return () => {
        forget?.()
        listeners.delete(listener)
      }
    },
    async caughtUp(withinMs) {
      const untilMs = performance.now() + withinMs
      const ends = await log.endOffsets(topics.live)
      const isBehind = () => ends.some((end, partition) => (told.get(partition) ?? startOf(partition)) < end)
      while (isBehind() && performance.now() < untilMs) await sleep(askEveryMs)
    },
    stop: () => follower.stop(),
  }
}

type Kind = LiveMessage['kind']

const tell: { readonly [K in Kind]: (message: LiveOf<K>, listener: LiveMessageListener) => void } = {
  values: ({ samples }, { values }) => values?.(samples),
  status: (message, { statuses }) => statuses?.(message.statuses),
  progress: (message, { progress }) => progress?.(message),
  documents: ({ machines }, { documents }) => documents?.(machines),
  alarmIds: ({ machines }, { alarmIds }) => alarmIds?.(machines),
  faults: (message, { faults }) => faults?.(message.source, message.faults),
}

/** Listens to messages of each kind. */
const listenerOf = {
  values: 'values',
  status: 'statuses',
  progress: 'progress',
  documents: 'documents',
  alarmIds: 'alarmIds',
  faults: 'faults',
} as const satisfies Readonly<Record<Kind, keyof LiveMessageListener>>

function handOn({ value }: LogRecord, listeners: readonly LiveMessageListener[], logger: Logger): void {
  handOnKind('values', value, listeners, logger)
  handOnKind('status', value, listeners, logger)
  handOnKind('progress', value, listeners, logger)
  handOnKind('documents', value, listeners, logger)
  handOnKind('alarmIds', value, listeners, logger)
  handOnKind('faults', value, listeners, logger)
}

/** Tells a message of this kind. A listener that throws is logged: the others are told, and the topic is read on. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties a message to those who are told of its kind
function handOnKind<K extends Kind>(kind: K, value: Buffer, all: readonly LiveMessageListener[], logger: Logger): void {
  const listeners = all.filter(listener => listener[listenerOf[kind]])
  const message = listeners.length > 0 && readLive(value, kind)
  if (!message) return
  for (const listener of listeners) {
    try {
      tell[kind](message, listener)
    } catch (error) {
      logger.error({ err: error, kind }, 'a live message was not told')
    }
  }
}
