import type { CommandName, Payload, Result } from '../schema/commands/commands.ts'
import type { Logger } from '../ingest/consume/ports.ts'
import { retry } from '../shared/async/retry.ts'
import type { Records } from '../processors/records/records.ts'
import type { CommandClient } from '../processors/registrar/client.ts'

/** Interface of the simulated plant to the service. */
export interface PlantClient {
  readonly companyId: string
  readonly records: Records
  /**
   * Executes a command, with retries while the service is busy. A rejected command is logged and skipped: users may
   * have changed the plant. Returns its result; null if it was rejected.
   */
  submit<Name extends CommandName>(name: Name, payload: Payload<Name>): Promise<Result<Name> | null>
}

export interface PlantClientOptions {
  readonly companyId: string
  readonly records: Records
  readonly commands: CommandClient
  readonly logger: Logger
  readonly signal: AbortSignal
}

const timeoutMs = 30_000

export function createPlantClient({ companyId, records, commands, logger, signal }: PlantClientOptions): PlantClient {
  return {
    companyId,
    records,
    async submit(name, payload) {
      const as = { companyId, actor: 'demo', timeoutMs }
      const outcome = await retry(() => commands.submit(name, payload, as), { signal })
      if (outcome.ok) return outcome.result
      logger.warn({ error: outcome.error, command: name }, 'Skipped rejected command of the simulated plant')
      return null
    },
  }
}
