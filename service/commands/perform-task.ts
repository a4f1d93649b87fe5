import type { TaskAnswer, TaskName, TaskPayload } from '../tasks/tasks.ts'
import { askService } from './ask-service.ts'
import type { PerformDeps } from './perform-here.ts'

/**
 * Runs a task of the command line. Only one process can open an embedded log, so a running service runs the task; if
 * none runs, this process opens log and store. With Kafka, a service with the process role must run.
 */
export async function performTask<Name extends TaskName>(
  name: Name,
  payload: TaskPayload<Name>,
  { config, logger }: PerformDeps,
): Promise<TaskAnswer<Name>> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const asked = isEmbedded ? await askService(config.TAKT_DATA_DIR, name, payload) : null
  if (asked) return asked.result
  // Imported only when needed, because it loads most of the service, which takes a second.
  const { performHere } = await import('./perform-here.ts')
  return performHere(name, payload, { config, logger })
}
