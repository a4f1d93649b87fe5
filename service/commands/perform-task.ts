import type { TaskAnswer, TaskName, TaskPayload } from '../tasks/tasks.ts'
import { askService } from './ask-service.ts'
import type { PerformDeps } from './perform-here.ts'

/**
 * Runs a task for the command line. Only one process can open an embedded log: a running service runs the task;
 * otherwise this process opens log and store. With Kafka, this process needs a service with the process role.
 */
export async function performTask<Name extends TaskName>(
  name: Name,
  payload: TaskPayload<Name>,
  { config, logger }: PerformDeps,
): Promise<TaskAnswer<Name>> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const asked = isEmbedded ? await askService(config.TAKT_DATA_DIR, name, payload) : null
  if (asked) return asked.result
  // Loads most of the service, which takes a second, only when needed.
  const { performHere } = await import('./perform-here.ts')
  return performHere(name, payload, { config, logger })
}
