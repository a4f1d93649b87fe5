import type { Consumer } from '../../log/log.ts'
import { groups, topics } from '../../schema/topics.ts'
import type { RegistrarOptions } from './options.ts'
import { CommandProcessor } from './command-processor.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import type { Lifecycle } from '../../shared/async/lifecycle.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { retryUntilAborted } from '../../shared/async/retry.ts'
import { aborted } from '../../shared/async/waiting.ts'

/**
 * The registrar role: one member of its group at a time reads commands.v1 and writes records.v1. The order of effects,
 * per batch:
 *
 * 1. Each command is decided and its entry folded. The decision is a function of the previous entries and the command.
 * 2. `project` receives the entries and is retried until it succeeds; so are `effects`, for commands without an entry.
 * 3. Entries and input offset are committed in one transaction. Only then are outcomes visible.
 *
 * So a caller that sees an outcome finds it in the projection, or waits for it if `project` is asynchronous. A crash
 * between 2 and 3 leaves the projection ahead of the log by entries that are decided equally again: rows are versioned
 * by `commandOffset`, so they replace themselves. No crash executes a command twice. When a newer registrar fences this
 * one, or after any other failure, it leaves the group, discards its state and joins again. When stopped, it leaves the
 * group after the batch in flight. The topics must exist.
 */
export function createRegistrarRole(options: RegistrarOptions): Lifecycle {
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    run: () => (running = keepRunning(options, stopping.signal)),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function keepRunning(options: RegistrarOptions, stopping: AbortSignal): Promise<void> {
  const { logger, problems, backOffMs = 1000 } = options
  const failure = new RepeatedFailure(problems, 'registrar')
  const progress: Progress = { failedStep: null, ended: () => failure.ended() }
  await retryUntilAborted(() => runMembership(options, stopping, progress), stopping, {
    firstDelayMs: backOffMs,
    maxDelayMs: backOffMs,
    onRetry: error => {
      logger.warn({ err: error }, 'The registrar failed, restarting')
      failure.failed(error, () => ({ code: 'registrar_failing', message: registrarFailing, topic: topics.commands }))
    },
  })
  failure.ended()
}

const registrarFailing =
  'The registrar fails repeatedly: changes of records are not decided. The log of the process has the error.'

type Step = 'opening' | 'batch'

/** State that consecutive memberships share. */
interface Progress {
  /** Step in which the last membership failed: a failure is over when the same step succeeds. */
  failedStep: Step | null
  readonly ended: () => void
}

/** Runs from joining the group to leaving it, when it is stopped; rejects with what went wrong. */
async function runMembership(options: RegistrarOptions, stopping: AbortSignal, progress: Progress): Promise<void> {
  const ended = new AbortController()
  const { signal: ending } = joinSignals(stopping, ended.signal)
  let processor: CommandProcessor | null = null
  const failing = async (step: Step, work: () => Promise<void>): Promise<void> => {
    try {
      // A batch that is delivered again after a failure must wait for the next membership.
      ending.throwIfAborted()
      await work()
      if (progress.failedStep !== step) return
      progress.failedStep = null
      progress.ended()
    } catch (error) {
      progress.failedStep = step
      ended.abort(error)
      throw error
    }
  }
  const consumer: Consumer = await options.log.consume({
    topic: topics.commands,
    group: groups.registrar,
    onAssigned: () =>
      failing('opening', async () => {
        await processor?.close()
        processor = await CommandProcessor.open(options, ending)
      }),
    onRevoked: async () => {
      await processor?.close()
      processor = null
    },
    onBatch: batch =>
      failing('batch', async () => {
        if (!processor) throw new Error('Commands of a partition that is not assigned')
        await processor.take(batch)
      }),
  })
  await aborted(ending)
  await consumer.stop()
  await closeQuietly(processor)
  if (ended.signal.aborted && !stopping.aborted) throw ended.signal.reason
}

async function closeQuietly(processor: CommandProcessor | null): Promise<void> {
  try {
    await processor?.close()
  } catch {
    // A transactor that was fenced or has lost its log has nothing left to close.
  }
}
