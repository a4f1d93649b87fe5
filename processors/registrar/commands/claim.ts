import type { ClaimRecord } from '../../../schema/records/claim.ts'
import { type CommandSpec, installationCommand } from '../deciding/command.ts'

/**
 * A processor takes over a partition of state samples. Every claim is a change, also that of the current owner: each
 * has a fence above all previous ones. Returns the record.
 */
const claim: CommandSpec = installationCommand('claim', ({ partition, owner, above = 0 }, { records, nextRef }) => {
  const after: ClaimRecord = { id: `state-samples/${partition}`, owner, fence: Math.max(nextRef('fence'), above + 1) }
  return { changes: [{ kind: 'claim', id: after.id, before: records.claim(after.id), after }], result: after }
})

export const claimCommands = [claim]
