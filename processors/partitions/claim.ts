import type { Logger } from 'pino'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { CommandClient } from '../registrar/client.ts'
import { retry } from '../../shared/async/retry.ts'

export interface ClaimDeps {
  readonly commands: Pick<CommandClient, 'submit'>
  readonly store: { readonly readHighestFence: () => Promise<number> }
  /** Names this process in its claims. */
  readonly owner: string
  readonly logger: Pick<Logger, 'warn'>
  readonly signal: AbortSignal
}

/**
 * Claims a partition of state samples and returns its fence. The fence is above every stored one, so that documents written from
 * now on win, even where the log is newer than the store. Asks again, ever more slowly, until it is answered or the signal aborts.
 */
export function claimPartition(partition: number, deps: ClaimDeps): Promise<number> {
  return retry(() => claim(partition, deps), {
    signal: deps.signal,
    maxDelayMs: 5_000,
    onRetry: error => deps.logger.warn({ err: error, partition }, 'Claim timed out, retrying'),
  })
}

async function claim(partition: number, { commands, store, owner }: ClaimDeps): Promise<number> {
  const above = await store.readHighestFence()
  const claimed = await commands.submit('claim', { partition, owner, above }, { companyId: null })
  return resultOrThrow(claimed).fence
}
