import type { TaskPayload } from '../tasks/tasks.ts'
import { runTaskInService } from './run-task-in-service.ts'

/** An API key that a command creates and deletes at its end. */
export interface TemporaryKey {
  readonly key: string
  delete(): Promise<void>
}

/** Creates a key through the service that uses this data folder; returns null if no service runs. */
export async function createTemporaryKey(
  dataDir: string,
  request: TaskPayload<'key-create'>,
): Promise<TemporaryKey | null> {
  const created = await runTaskInService(dataDir, 'key-create', request)
  if (!created) return null
  const { id, companyId, key } = created.result
  return {
    key,
    async delete() {
      await runTaskInService(dataDir, 'key-delete', { id, companyId })
    },
  }
}
