import { ofPipeline } from '../../clickhouse/client/rows.ts'
import { readRecordChanges } from '../../clickhouse/projections/record-changes.ts'
import { readHistory } from '../../clickhouse/documents/read-history.ts'
import { Evaluator } from '../../respond/evaluate/evaluator.ts'
import type { Processor } from '../../processors/partitions/processor.ts'
import type { HourKey } from '../../schema/document-store.ts'
import { stateSamplesPartition, topics } from '../../schema/topics.ts'
import { coalesce } from '../../shared/async/coalesce.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { every } from '../../shared/async/every.ts'
import type { ServiceContext } from '../context.ts'
import { CompleteTimes } from '../monitoring/complete-times.ts'
import type { Teardown } from '../teardown.ts'

/** Interval of evaluations of what is due with time, ms; documents are evaluated when they are written. */
const everyMs = 250
/** Interval of the measurements that show later how far documents are complete, ms; on Kafka, each sends requests to the brokers. */
const measureEveryMs = { embedded: 50, kafka: 500 } as const

/** Receives the progress of the processor. */
export interface AlertListener {
  /** Notes documents that are in the store. */
  written(documents: readonly HourKey[]): void
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
  const evaluator = new Evaluator({
    ...context,
    readHistory: (...of) => readHistory(store, ...of, ofPipeline),
    readRecordChanges: (...of) => readRecordChanges(store, ...of),
    fences: () => processor.fences,
    partitionOf: machineRef => stateSamplesPartition(machineRef, count),
    completeTo: () => completeTimes.measure(),
    lateMs: config.TAKT_ALERT_LATE_SECONDS * 1000,
  })
  let isStopped = false
  const evaluate = coalesce(async () => {
    if (isStopped) return
    await evaluator.tick().catch((error: unknown) => logger.warn({ err: error }, 'Failed to evaluate alert rules'))
  })
  const stopTimer = every(everyMs, evaluate)
  const stopMeasuring = every(measureMs, async () => {
    // If the log fails, the evaluation logs it.
    if (evaluator.hasWork) await completeTimes.measure().catch(() => undefined)
  })
  teardown.add('alerts', async () => {
    isStopped = true
    stopTimer()
    stopMeasuring()
    evaluator.stop()
    await evaluate()
  })
  return {
    written: documents => evaluator.written(documents),
    consumed: () => crashOnRejection(evaluate()),
  }
}
