import type { Logger } from 'pino'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { CommandClient } from '../registrar/client.ts'
import { retry } from '../../shared/async/retry.ts'

export interface ClaimDeps {
  readonly commands: Pick<CommandClient, 'submit'>
  readonly store: { readonly readHighestFence: () => Promise<number> }
  readonly owner: string
  readonly logger: Pick<Logger, 'warn'>
  readonly signal: AbortSignal
}

/**
 * Claims a partition of state samples and returns its fence. The fence is above every stored one, so that later documents
 * replace earlier ones, even if the log is newer than the store. Retries with back-off until the signal aborts.
 */
export function claimPartition(partition: number, deps: ClaimDeps): Promise<number> {
  const { commands, store, owner, logger, signal } = deps
  const claim = async () => {
    const above = await store.readHighestFence()
    return resultOrThrow(await commands.submit('claim', { partition, owner, above }, { companyId: null })).fence
  }
  const onRetry = (error: unknown) => logger.warn({ err: error, partition }, 'Claim timed out, retrying')
  return retry(claim, { signal, maxDelayMs: 5_000, onRetry })
}
