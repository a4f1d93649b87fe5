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
 * Creates the registrar role: one process at a time reads commands.v1 and writes records.v1. Steps of each batch:
 * 1. Each command is decided and its entry applied to the records in memory. The decision depends only on previous
 *    entries and the command.
 * 2. `effects` execute commands without an entry, and are retried until they succeed.
 * 3. Entries and input offset are committed in one transaction.
 * 4. `project` receives the entries, and is retried until it succeeds. Meanwhile no further command is decided.
 * 5. `onProjected`: followers of records.v1 apply the entries and answer the callers, which find the changes in the
 *    projection, or wait for them if `project` is asynchronous.
 * After a crash between steps 3 and 4, the next registrar projects the entries that the projection lacks: rows have
 * `commandOffset` as version, so they replace themselves. No crash executes a command twice. If a newer registrar
 * fences this one, or any step fails, the registrar leaves the group, discards its state and joins again. When stopped,
 * it leaves the group after the current batch. The topics must exist.
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
      logger.warn({ err: error }, 'Registrar failed, restarting')
      failure.failed(error, () => ({ code: 'registrar_failing', message: registrarFailing, topic: topics.commands }))
    },
  })
  failure.ended()
}

const registrarFailing =
  'The registrar fails repeatedly: commands are not executed. The log of the process contains the error.'

type Step = 'opening' | 'batch'

/** State that consecutive memberships in the consumer group of the registrars share. */
interface Progress {
  /** Step in which the last membership failed. The failure has ended when the same step succeeds. */
  failedStep: Step | null
  readonly ended: () => void
}

/** Joins the group and processes commands until the role is stopped; rejects if a step fails. */
async function runMembership(options: RegistrarOptions, stopping: AbortSignal, progress: Progress): Promise<void> {
  const ended = new AbortController()
  const { signal: ending } = joinSignals(stopping, ended.signal)
  let processor: CommandProcessor | null = null
  const trackStep = async (step: Step, work: () => Promise<void>): Promise<void> => {
    try {
      // A batch that is redelivered after a failure must wait for the next membership.
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
      trackStep('opening', async () => {
        await processor?.close()
        processor = await CommandProcessor.open(options, ending)
      }),
    onRevoked: async () => {
      await processor?.close()
      processor = null
    },
    onBatch: batch =>
      trackStep('batch', async () => {
        if (!processor) throw new Error('Invariant: received commands of a partition that is not assigned')
        await processor.process(batch)
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
    // A transactor that was fenced or has lost its log cannot be closed cleanly.
  }
}
