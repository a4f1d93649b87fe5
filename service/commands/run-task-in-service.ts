import { requestControl } from '../control/request.ts'
import { controlSocket } from '../control/socket.ts'
import type { TaskResult, TaskName, TaskPayload } from '../tasks/tasks.ts'

/**
 * Runs a task in the service that uses this data folder; returns null if no service runs. Rejects with the task's
 * `ApiError`.
 */
export async function runTaskInService<Name extends TaskName>(
  dataDir: string,
  name: Name,
  payload: TaskPayload<Name>,
): Promise<{ readonly result: TaskResult<Name> } | null> {
  const response = await requestControl(controlSocket(dataDir), name, payload)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of a task has the type that the task declares
  return response && { result: response.result as TaskResult<Name> }
}
