import { ApiError } from '../schema/errors.ts'
import type { Logger } from '../ingest/consume/ports.ts'
import { retryForever } from '../shared/async/retry.ts'
import type { Records } from '../processors/records/records.ts'
import type { CommandClient } from '../processors/registrar/client.ts'

/** Port of the simulated plant to the service. */
export interface PlantClient {
  readonly companyId: string
  readonly records: Records
  /** Does a command, again while the service is busy. What is refused is logged and passed over: people may have changed the plant. */
  submit(name: string, payload: unknown): Promise<void>
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
      try {
        await retryForever(() => commands.submit(name, payload, { companyId, actor: 'demo', timeoutMs }), {
          signal,
          isFinal: isRefusal,
        })
      } catch (error) {
        if (!isRefusal(error)) throw error
        logger.warn({ err: error, command: name }, 'the simulated plant was refused something')
      }
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}
