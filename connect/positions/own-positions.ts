import { defaultReleaseWithinMs, OwnedPartition, type OwnershipHandlers, type PositionsLog } from './owned-partition.ts'
import { groups } from '../../schema/topics.ts'
import { positionsTopic } from './position.ts'

/**
 * Joins the processes that run connectors: each owns some partitions of the positions, and runs their connectors. The
 * handlers are called for each partition that this process gets and loses. `releaseWithinMs`: time after which a previous
 * owner that has not released a partition is fenced.
 */
export async function ownPositions(
  log: PositionsLog,
  handlers: OwnershipHandlers,
  { releaseWithinMs = defaultReleaseWithinMs } = {},
): Promise<{ stop(): Promise<void> }> {
  const partitions = Array.from(
    { length: positionsTopic.partitions },
    (_, partition) => new OwnedPartition(log, partition, handlers, releaseWithinMs),
  )
  const each = async (numbers: readonly number[], change: (partition: OwnedPartition) => Promise<void>) => {
    await Promise.all(partitions.filter((_, number) => numbers.includes(number)).map(change))
  }
  let isStopping = false
  const joined = log.consume({
    topic: positionsTopic.name,
    // The group only distributes the partitions: their owner reads them itself, from the start.
    group: groups.connect,
    onAssigned: async numbers => {
      const consumer = await joined
      for (const number of numbers) consumer.pause(number)
      if (!isStopping) await each(numbers, partition => partition.assign())
    },
    onRevoked: numbers => each(numbers, partition => partition.revoke()),
    onBatch: async () => undefined,
  })
  const consumer = await joined
  return {
    stop: async () => {
      isStopping = true
      await each([...partitions.keys()], partition => partition.revoke())
      await consumer.stop()
    },
  }
}
