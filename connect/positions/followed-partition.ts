import type { Log } from '../../log/log.ts'
import { Notifier } from '../../shared/async/waiting.ts'
import { decodePositions, type Position, positionsTopic } from './position.ts'

/** Key of the record of a partition that names its ownership; it is deleted when the owner has released the partition. */
export const ownerKey = 'owner'

/** The stored records of a partition, which are read as they are written. */
export interface FollowedPartition {
  /** Resolves when all records that existed at the start are read. */
  readonly caughtUp: Promise<void>
  /** Resolves when all records that exist at the call are read. */
  readonly catchUp: () => Promise<void>
  /** Text of the record that names the ownership; null: the last owner has released the partition. */
  readonly owner: () => string | null
  /** Resolves after the next records. */
  readonly changed: () => Promise<void>
  /** The stored positions by id. */
  readonly positions: () => ReadonlyMap<string, Position>
  readonly stop: () => Promise<void>
}

/** Reads a partition of the positions from its first record. */
export async function followPartition(log: Pick<Log, 'follow'>, partition: number): Promise<FollowedPartition> {
  const newest = new Map<string, Buffer>()
  const changes = new Notifier()
  const follower = await log.follow({
    topic: positionsTopic.name,
    from: 'earliest',
    partitions: [partition],
    onBatch: ({ records }) => {
      for (const { key, value } of records) {
        if (value.length === 0) newest.delete(key ?? '')
        else newest.set(key ?? '', value)
      }
      changes.ring()
    },
  })
  return {
    caughtUp: follower.caughtUp,
    catchUp: () => follower.catchUp(),
    owner: () => newest.get(ownerKey)?.toString() ?? null,
    changed: () => changes.wait(),
    positions: () => decodePositions(newest),
    stop: () => follower.stop(),
  }
}
