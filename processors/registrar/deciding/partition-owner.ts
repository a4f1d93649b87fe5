import type { CompanyContext } from './command.ts'
import { CommandRejection } from './command-rejection.ts'

/** The owner of a partition of state samples. */
export interface PartitionOwner {
  readonly partition: number
  readonly fence: number
}

/** Throws 409 if the partition has another owner. */
export function requireOwner(owner: PartitionOwner, { records }: Pick<CompanyContext, 'records'>): void {
  if (records.claim(partitionId(owner))?.fence === owner.fence) return
  throw new CommandRejection(409, 'NotOwner', 'The partition has another owner')
}

export function partitionId({ partition }: Pick<PartitionOwner, 'partition'>): string {
  return `state-samples/${partition}`
}
