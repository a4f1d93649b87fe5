import { ofPipeline } from '../../clickhouse/client/rows.ts'
import { readRecordChanges } from '../../clickhouse/projections/record-changes.ts'
import { readHistory } from '../../clickhouse/documents/read-history.ts'
import { readActivity, readActivityAfter } from '../../clickhouse/samples/read-activity.ts'
import { readNewestSamples } from '../../clickhouse/samples/newest-samples.ts'
import { Evaluator } from '../../respond/evaluate/evaluator.ts'
import { RecentHistories } from '../../respond/evaluate/recent-histories.ts'
import type { Processor } from '../../processors/partitions/processor.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { stateSamplesPartition, topics } from '../../schema/topics.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { every } from '../../shared/async/every.ts'
import type { ServiceContext } from '../context.ts'
import { waitUntilStored } from '../live/wait-until-stored.ts'
import { CompleteTimes } from '../monitoring/complete-times.ts'
import type { Teardown } from '../teardown.ts'

/** Interval of evaluations of what is due with time, ms; documents are evaluated when they are written. */
const everyMs = 250
/** Interval of the measurements that show later how far documents are complete, ms; on Kafka, each sends requests to the brokers. */
const measureEveryMs = { embedded: 50, kafka: 500 } as const

/** Receives the progress of the processor. */
export interface AlertListener {
  /** Notes when machines of a partition sent samples, without heartbeats. */
  seen(partition: number, minutes: readonly ActivityMinute[]): void
  /** Notes documents that are in the store. */
  written(documents: readonly HourDocument[]): void
  /** Evaluates the documents that were noted: a batch of state samples is in the documents. */
  consumed(): void
}

/**
 * Starts the evaluation of alert rules in the partitions that the processor owns. Call it before the processor starts:
 * the listener needs all documents.
 */
export async function startAlerts(
  context: ServiceContext,
  processor: Pick<Processor, 'fences' | 'liveProgress'>,
  teardown: Teardown,
): Promise<AlertListener> {
  const { log, store, config, logger } = context
  const count = await log.partitionCount(topics.stateSamples)
  const measureMs = measureEveryMs[log.kind]
  const completeTimes = new CompleteTimes({
    ...context,
    progress: () => processor.liveProgress,
    minReadIntervalMs: log.kind === 'kafka' ? measureMs : 0,
  })
  const stopping = new AbortController()
  const partitionOf = (machineRef: MachineRef) => stateSamplesPartition(machineRef, count)
  const histories = new RecentHistories({
    ...context,
    readHistory: (...of) => readHistory(store, ...of, ofPipeline),
    fences: () => processor.fences,
    partitionOf,
  })
  const evaluator = new Evaluator({
    ...context,
    readHistory: histories.read,
    readActivity: (...of) => readActivity(store, ...of, ofPipeline),
    readNewestSamples: (...of) => readNewestSamples(store, ...of),
    readActivityAfter: (...of) => readActivityAfter(store, ...of, ofPipeline),
    untilStored: async () => {
      await waitUntilStored(log, Infinity, {
        signal: stopping.signal,
        requestFlush: () => context.batchScheduler.requestFlush(),
      })
    },
    readRecordChanges: (...of) => readRecordChanges(store, ...of),
    fences: () => processor.fences,
    partitionOf,
    completeTo: () => completeTimes.measure(),
    lateMs: config.TAKT_ALERT_LATE_SECONDS * 1000,
  })
  const evaluate = coalesce(async () => {
    if (stopping.signal.aborted) return
    await evaluator.tick().catch((error: unknown) => logger.warn({ err: error }, 'Failed to evaluate alert rules'))
  })
  const stopTimer = every(everyMs, evaluate)
  const measure = coalesce(async () => {
    // If the log fails, the evaluation logs it.
    if (evaluator.hasWork) await completeTimes.add().catch(() => undefined)
  })
  const stopMeasuring = every(measureMs, measure)
  // The next batch of state samples then shows how far it is complete: a measurement after its start does not.
  const stopListening = context.forwarded?.listen(() => crashOnRejection(measure()))
  teardown.add('alerts', async () => {
    stopping.abort()
    stopTimer()
    stopMeasuring()
    stopListening?.()
    evaluator.stop()
    await evaluate()
  })
  return {
    seen: (...of) => evaluator.seen(...of),
    written: documents => evaluator.written(histories.written(documents)),
    consumed: () => crashOnRejection(evaluate()),
  }
}
