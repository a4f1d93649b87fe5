import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { prepareInstallation } from '../installation/prepare-installation.ts'
import { requireInstallation } from '../installation/require-installation.ts'
import { createContext } from '../context.ts'
import { type TaskResult, type TaskPayload, tasks } from '../tasks/tasks.ts'
import { createProcessor, startProcessor, startRegistrar } from '../roles/process.ts'
import { Teardown } from '../teardown.ts'
import { runTaskInService } from './run-task-in-service.ts'

type RebuildTask = 'rebuild-start' | 'rebuild-status'

/** Starts rebuilds and reads their progress. */
export interface RebuildControl {
  runTask<Name extends RebuildTask>(name: Name, payload: TaskPayload<Name>): Promise<TaskResult<Name>>
  /** Whether this process executes the rebuild. If so, the rebuild pauses when this process ends. */
  readonly isOwn: boolean
  close(): Promise<void>
}

/**
 * Connects to the running service or to Kafka. If no process has the embedded log open, this process runs a processor
 * without HTTP.
 */
export async function openRebuildControl(config: Config, logger: Logger): Promise<RebuildControl> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const dataDir = config.TAKT_DATA_DIR
  if (isEmbedded && (await isServed(dataDir))) {
    const runTask: RebuildControl['runTask'] = async (name, payload) => {
      const response = await runTaskInService(dataDir, name, payload)
      if (!response) throw new Error('The service was stopped; the rebuild continues at its next start')
      return response.result
    }
    return { runTask, isOwn: false, close: () => Promise.resolve() }
  }
  return openOwn(config, logger, isEmbedded)
}

async function isServed(dataDir: string): Promise<boolean> {
  try {
    return (await runTaskInService(dataDir, 'rebuild-status', { id: '' })) !== null
  } catch {
    // A response that the rebuild does not exist also proves that the service runs.
    return true
  }
}

async function openOwn(config: Config, logger: Logger, isOwn: boolean): Promise<RebuildControl> {
  requireInstallation(config, 'installation')
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    const processor = isOwn ? createProcessor(context) : null
    await prepareInstallation(context, {
      startRegistrar: processor ? () => startRegistrar(context, teardown) : null,
      onWaiting: null,
      mayCreate: false,
    })
    if (processor) await startProcessor(processor, teardown)
    const runTask: RebuildControl['runTask'] = (name, payload) => tasks[name](context, payload)
    return { runTask, isOwn, close: () => teardown.stop() }
  } catch (error) {
    await teardown.stop()
    throw error
  }
}
