import type { CommandClient } from '../../processors/registrar/client.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { type IncidentChangeInput, maxIncidentChanges } from '../../schema/commands/incident-commands.ts'
import { inParts } from '../../shared/collections/in-parts.ts'

/** The partition whose owner evaluates the rules on connectors and the system. */
export const currentStatePartition = 0

/**
 * Submits changes of incidents of a company as the owner of `currentStatePartition`. Returns whether changes were refused:
 * they were decided on an earlier state. Rejects if a command fails.
 */
export async function submitCurrentChanges(
  commands: Pick<CommandClient, 'submit'>,
  companyId: string,
  fence: number,
  changes: readonly IncidentChangeInput[],
): Promise<boolean> {
  let isRefused = false
  for (const some of inParts(changes, maxIncidentChanges)) {
    const payload = { partition: currentStatePartition, fence, changes: [...some] }
    const outcome = await commands.submit('incident.evaluate', payload, { companyId })
    if (resultOrThrow(outcome).refused.length > 0) isRefused = true
  }
  return isRefused
}
