import type { TaskPayload } from '../tasks/tasks.ts'
import { askService } from './ask-service.ts'

/** A key for as long as a command runs. */
export interface BorrowedKey {
  readonly key: string
  giveBack(): Promise<void>
}

/** Asks the service on this machine for a key of the command's own; null: none answers at the socket in the data folder. */
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
