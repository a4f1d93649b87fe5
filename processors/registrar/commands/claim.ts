import type { ClaimRecord } from '../../../schema/records/claim.ts'
import { type CommandSpec, installationCommand } from '../deciding/command.ts'

/**
 * A processor takes a partition of state samples over. Every claim is a change, the same owner's too: each has a
 * fence above all before it. Answers the record.
 */
const claim: CommandSpec = installationCommand('claim', ({ partition, owner, above = 0 }, { records, nextRef }) => {
  const after: ClaimRecord = { id: `state-samples/${partition}`, owner, fence: Math.max(nextRef('fence'), above + 1) }
  return { changes: [{ kind: 'claim', id: after.id, before: records.claim(after.id), after }], result: after }
})

export const claimCommands = [claim]
