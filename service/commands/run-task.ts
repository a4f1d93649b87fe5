import type { TaskResult, TaskName, TaskPayload } from '../tasks/tasks.ts'
import { runTaskInService } from './run-task-in-service.ts'
import type { RunTaskDeps } from './run-task-locally.ts'

/**
 * Runs a task of the command line. Only one process can open an embedded log, so a running service runs the task; if
 * none runs, this process opens log and store. With Kafka, a service with the process role must run.
 */
export async function runTask<Name extends TaskName>(
  name: Name,
  payload: TaskPayload<Name>,
  { config, logger }: RunTaskDeps,
): Promise<TaskResult<Name>> {
  const isEmbedded = config.KAFKA_BROKERS.length === 0
  const response = isEmbedded ? await runTaskInService(config.TAKT_DATA_DIR, name, payload) : null
  if (response) return response.result
  // Imported only when needed, because it loads most of the service, which takes a second.
  const { runTaskLocally } = await import('./run-task-locally.ts')
  return runTaskLocally(name, payload, { config, logger })
}
