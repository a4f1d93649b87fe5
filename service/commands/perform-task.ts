import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { askControl } from '../control/ask.ts'
import { controlSocket } from '../control/socket.ts'

/**
 * Does a task for the command line. An embedded log belongs to one process: the service does the task where it runs, else this
 * process opens log and store and does it itself. On Kafka this process needs a service that runs with the process role.
 */
export async function performTask(name: string, payload: unknown, config: Config, logger: Logger): Promise<unknown> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const asked = isEmbedded ? await askControl(controlSocket(config.TAKT_DATA_DIR), name, payload) : null
  if (asked) return asked.result
  // Most of the service, which takes a second to load: only where it is needed.
  const { performHere } = await import('./perform-here.ts')
  return performHere(name, payload, config, logger)
}
