import { readUsedNames } from '../../clickhouse/samples/latest-values.ts'
import { createSampleWriter } from '../../clickhouse/samples/samples.ts'
import { createIngest } from '../../ingest/consume/ingest.ts'
import { countSamples } from '../monitoring/metrics.ts'
import { inputLimitsOf } from '../bounds.ts'
import type { ServiceContext } from '../context.ts'
import type { Teardown } from '../teardown.ts'

/** Maximum time for inserts in progress at a stop; the next start reads the remaining samples again. */
const drainWithinMs = 2_000

/** Starts the consumer of samples. `onFatal` is called if further processing would lose samples. */
export function startIngest(context: ServiceContext, teardown: Teardown, onFatal: (error: unknown) => void): void {
  const {
    config,
    log,
    problems,
    store,
    machines,
    followed,
    sampleIssues,
    localValues,
    forwarded,
    batchScheduler,
    logger,
    clock,
  } = context
  const catchUpRecords = () => followed.catchUp()
  const samples = createSampleWriter(store)
  const bounds = inputLimitsOf(config).record
  const onConsumed = countSamples(context.metrics)
  const ingest = createIngest({
    log,
    onConsumed,
    machines,
    catchUpRecords,
    samples,
    logger,
    problems,
    bounds,
    waitForNextInsert: (...insert) => batchScheduler.waitForNextInsert(...insert),
    machineLimits: {
      keys: config.TAKT_MACHINE_KEYS,
      keyChars: config.TAKT_MACHINE_KEY_CHARS,
      conditions: config.TAKT_MACHINE_CONDITIONS,
    },
    usedNames: { read: (companyRef, refs) => readUsedNames(store, companyRef, refs) },
    sampleIssues,
    ...(forwarded && { onForwarded: (partition, nextOffset) => forwarded.advance(partition, nextOffset) }),
    ...(localValues && {
      publishValues: samples => localValues.publish(samples),
      needsEveryValue: machineRef => localValues.needsEvery(machineRef),
      clock,
    }),
  })
  ingest.run().catch(onFatal)
  teardown.add('ingest', async () => {
    await ingest.drain(drainWithinMs)
    await ingest.stop()
  })
}
