import { askControl } from '../control/ask.ts'
import { controlSocket } from '../control/socket.ts'
import type { TaskAnswer, TaskName, TaskPayload } from '../tasks/tasks.ts'

/** Has the service that runs with this data folder do a task; null where none runs. Rejects with the `ApiError` that it tells. */
export async function askService<Name extends TaskName>(
  dataDir: string,
  name: Name,
  payload: TaskPayload<Name>,
): Promise<{ readonly result: TaskAnswer<Name> } | null> {
  const asked = await askControl(controlSocket(dataDir), name, payload)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service answers what its task answers
  return asked && { result: asked.result as TaskAnswer<Name> }
}
