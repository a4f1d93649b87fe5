import type { Processor } from '../../processors/partitions/processor.ts'
import { SystemEvaluator } from '../../respond/evaluate/system-evaluator.ts'
import { every } from '../../shared/async/every.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import type { ServiceContext } from '../context.ts'
import { SystemChecks, type SystemChecksDeps } from '../monitoring/system-checks.ts'
import type { Teardown } from '../teardown.ts'

/** Interval of checks, ms. */
const everyMs = 5_000
/** Time for a command in progress at the end, ms: a log that does not respond must not delay it. */
const finishMs = 3_000

/** Starts the evaluation of alert rules on the system, while the processor owns the first partition. */
export function startSystemAlerts(
  context: ServiceContext,
  processor: Pick<Processor, 'fences'>,
  health: SystemChecksDeps['health'],
  teardown: Teardown,
): void {
  const { config, logger } = context
  const checks = new SystemChecks({ ...context, health, dataFolder: config.TAKT_DATA_DIR })
  const evaluator = new SystemEvaluator({ ...context, fences: () => processor.fences, read: () => checks.read() })
  let running = Promise.resolve()
  const tick = () =>
    evaluator.tick().catch((error: unknown) => logger.warn({ err: error }, 'Failed to check the system'))
  const stopTimer = every(everyMs, () => (running = tick()))
  teardown.add('alerts of the system', async () => {
    stopTimer()
    await withTimeout(
      finishMs,
      running.then(() => evaluator.settled()),
      () => undefined,
    )
  })
}
