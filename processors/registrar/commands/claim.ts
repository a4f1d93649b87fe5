import type { ClaimRecord } from '../../../schema/records/claim.ts'
import { type CommandSpec, installationCommand } from '../deciding/command.ts'

/**
 * Assigns a partition of state samples to a processor. Every claim, even of the current owner, gets a fence above all
 * previous fences. Returns the record.
 */
const claim: CommandSpec = installationCommand('claim', ({ partition, owner, above = 0 }, { records, nextRef }) => {
  const after: ClaimRecord = { id: `state-samples/${partition}`, owner, fence: Math.max(nextRef('fence'), above + 1) }
  return { changes: [{ kind: 'claim', id: after.id, before: records.claim(after.id), after }], result: after }
})

export const claimCommands = [claim]
