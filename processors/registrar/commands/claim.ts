import type { ClaimRecord } from '../../../schema/records.ts'
import { type CommandSpec, installationCommand } from '../command.ts'
import { integer, payloadOf, text } from '../shapes.ts'

interface Claim {
  readonly partition: number
  readonly owner: string
  /** The fence must be above this one: the highest that the store knows, where the log is newer than the store. */
  readonly above?: number
}

/**
 * A processor takes a facts partition over. Every claim is a change, the same owner's too: each has a
 * fence above all before it. Answers the record.
 */
const claim: CommandSpec = installationCommand(
  'claim',
  payloadOf<Claim>({ partition: integer(0, 1_000_000), owner: text, above: integer(0, 1e9) }, ['partition', 'owner']),
  ({ partition, owner, above = 0 }, { records, nextRef }) => {
    const after: ClaimRecord = { id: `facts/${partition}`, owner, fence: Math.max(nextRef('fence'), above + 1) }
    return { changes: [{ kind: 'claim', id: after.id, before: records.claim(after.id), after }], result: after }
  },
)

export const claimCommands = [claim]
