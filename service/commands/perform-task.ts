import type { TaskAnswer, TaskName, TaskPayload } from '../tasks/tasks.ts'
import { askService } from './ask-service.ts'
import type { PerformDeps } from './perform-here.ts'

/**
 * Does a task for the command line. An embedded log belongs to one process: the service does the task where it runs, else this
 * process opens log and store and does it itself. On Kafka this process needs a service that runs with the process role.
 */
export async function performTask<Name extends TaskName>(
  name: Name,
  payload: TaskPayload<Name>,
  { config, logger }: PerformDeps,
): Promise<TaskAnswer<Name>> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const asked = isEmbedded ? await askService(config.TAKT_DATA_DIR, name, payload) : null
  if (asked) return asked.result
  // Most of the service, which takes a second to load: only where it is needed.
  const { performHere } = await import('./perform-here.ts')
  return performHere(name, payload, { config, logger })
}
