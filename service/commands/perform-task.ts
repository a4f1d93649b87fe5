import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { enterInstallation } from '../installation/enter.ts'
import { createContext } from '../context.ts'
import { startRegistrar } from '../roles/process.ts'
import { Teardown } from '../teardown.ts'
import { askControl } from '../control/ask.ts'
import { controlSocket } from '../control/socket.ts'
import { tasks } from '../tasks/tasks.ts'

/**
 * Does a task for the command line. An embedded log belongs to one process: the service does the task where it runs, else this
 * process opens log and store and does it itself. On Kafka this process needs a service that runs with the process role.
 */
export async function performTask(name: string, payload: unknown, config: Config, logger: Logger): Promise<unknown> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const asked = isEmbedded ? await askControl(controlSocket(config.TAKT_DATA_DIR), name, payload) : null
  return asked ? asked.result : performHere(name, payload, config, logger)
}

async function performHere(name: string, payload: unknown, config: Config, logger: Logger): Promise<unknown> {
  const task = tasks[name]
  if (!task) throw new Error(`There is no task '${name}'`)
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    const isOwn = context.log.kind === 'embedded'
    await enterInstallation(context, {
      startRegistrar: isOwn ? () => startRegistrar(context, teardown) : null,
      onWaiting: null,
    })
    return await task(context, payload)
  } finally {
    await teardown.stop()
  }
}
