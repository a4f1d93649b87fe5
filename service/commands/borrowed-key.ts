import type { TaskPayload } from '../tasks/tasks.ts'
import { askService } from './ask-service.ts'

/** An API key that a command creates and deletes at its end. */
export interface BorrowedKey {
  readonly key: string
  giveBack(): Promise<void>
}

/** Creates a key through the service that uses this data folder; returns null if no service runs. */
export async function borrowKey(dataDir: string, asked: TaskPayload<'key-create'>): Promise<BorrowedKey | null> {
  const answer = await askService(dataDir, 'key-create', asked)
  if (!answer) return null
  const { id, companyId, key } = answer.result
  return {
    key,
    async giveBack() {
      await askService(dataDir, 'key-delete', { id, companyId })
    },
  }
}
