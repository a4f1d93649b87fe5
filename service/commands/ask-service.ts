import { askControl } from '../control/ask.ts'
import { controlSocket } from '../control/socket.ts'
import type { TaskAnswer, TaskName, TaskPayload } from '../tasks/tasks.ts'

/**
 * Runs a task in the service that uses this data folder; returns null if no service runs. Rejects with the task's
 * `ApiError`.
 */
export async function askService<Name extends TaskName>(
  dataDir: string,
  name: Name,
  payload: TaskPayload<Name>,
): Promise<{ readonly result: TaskAnswer<Name> } | null> {
  const asked = await askControl(controlSocket(dataDir), name, payload)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of a task has the type that the task declares
  return asked && { result: asked.result as TaskAnswer<Name> }
}
