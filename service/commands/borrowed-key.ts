import { askControl } from '../control/ask.ts'
import { controlSocket } from '../control/socket.ts'
import type { CreatedKey, CreateKey } from '../tasks/key-tasks.ts'

/** A key for as long as a command runs. */
export interface BorrowedKey {
  readonly key: string
  giveBack(): Promise<void>
}

/** Asks the service on this machine for a key of the command's own; null: none answers at the socket in the data folder. */
export async function borrowKey(dataDir: string, asked: CreateKey): Promise<BorrowedKey | null> {
  const path = controlSocket(dataDir)
  const answer = await askControl(path, 'key-create', asked)
  if (!answer) return null
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const { id, companyId, key } = answer.result as CreatedKey
  return {
    key,
    async giveBack() {
      await askControl(path, 'key-delete', { id, companyId })
    },
  }
}
