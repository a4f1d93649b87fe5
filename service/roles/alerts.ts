import { ofPipeline } from '../../clickhouse/client/rows.ts'
import { readHistory } from '../../clickhouse/documents/read-history.ts'
import { Evaluator } from '../../respond/evaluate/evaluator.ts'
import type { Processor } from '../../processors/partitions/processor.ts'
import type { HourKey } from '../../schema/document-store.ts'
import { stateSamplesPartition, topics } from '../../schema/topics.ts'
import { every } from '../../shared/async/every.ts'
import type { ServiceContext } from '../context.ts'
import type { LagMeter } from '../monitoring/lag.ts'
import type { Teardown } from '../teardown.ts'

/** Interval of evaluations, ms. */
const everyMs = 250

/** Starts the evaluation of alert rules in the partitions that the processor owns. Returns the listener of documents. */
export async function startAlerts(
  context: ServiceContext,
  processor: Pick<Processor, 'fences'>,
  lag: LagMeter,
  teardown: Teardown,
): Promise<(documents: readonly HourKey[]) => void> {
  const { log, config, logger } = context
  const count = await log.partitionCount(topics.stateSamples)
  const evaluator = new Evaluator({
    ...context,
    readHistory: (...of) => readHistory(context.store, ...of, ofPipeline),
    fences: () => processor.fences,
    partitionOf: machineRef => stateSamplesPartition(machineRef, count),
    completeTo: completeToOf(context, lag),
    lateMs: config.TAKT_ALERT_LATE_SECONDS * 1000,
  })
  let running: Promise<void> | null = null
  const stopTimer = every(everyMs, () => {
    running ??= evaluator
      .tick()
      .catch((error: unknown) => logger.warn({ err: error }, 'Failed to evaluate alert rules'))
      .finally(() => (running = null))
  })
  teardown.add('alerts', async () => {
    stopTimer()
    evaluator.stop()
    await running
  })
  return documents => evaluator.written(documents)
}

/** Interval of the measurements on a log whose offsets other processes have, ms: each sends a request to the brokers. */
const measureEveryMs = 500

/** Returns the reader of the newest instant before which every appended sample is in the documents, UTC ms. */
function completeToOf({ log, clock }: ServiceContext, lag: LagMeter): () => Promise<number> {
  let measuredAtMs = -Infinity
  let completeMs = -Infinity
  return async () => {
    const isRecent = log.kind !== 'embedded' && performance.now() - measuredAtMs < measureEveryMs
    if (isRecent) return completeMs
    const nowMs = clock()
    const { liveLag } = await lag.measure()
    measuredAtMs = performance.now()
    completeMs = nowMs - liveLag.seconds * 1000
    return completeMs
  }
}
