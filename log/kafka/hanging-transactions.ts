import { LogUnavailable, type TransactorScope } from '../log.ts'
import { waitUntil } from '../../shared/async/retry.ts'
import type { KafkaContext } from './client.ts'
import { openCluster, transactionCoordinator, type Cluster, type PartitionsOfTopic } from './internals.ts'
import type { TopicAdmin } from './topic-admin.ts'

/**
 * The broker ends a transaction that is open for longer: a large one on a busy machine must fit in it. A transaction
 * that a crash left open blocks its readers until a successor takes over, or for this time.
 */
export const transactionTimeoutMs = 30_000

/**
 * Fences all transactors of the id and resolves when readers see everything that they have written to the topics. A
 * completed transaction has a marker in every partition; records after its start are hidden until the marker is
 * written. Kafka 4.3.0 skips the marker if a partition has no leader at that moment, as while a killed single broker
 * restarts, and treats the transaction as complete (https://issues.apache.org/jira/browse/KAFKA-20734). Its records
 * then stay hidden, acknowledged or not, until a later transaction of the same producer ends in that partition, and get
 * its outcome. This function ends it with a transaction without records.
 */
export async function endHangingTransaction(
  context: KafkaContext,
  admin: TopicAdmin,
  transactionalId: string,
  { topics, group }: TransactorScope,
): Promise<void> {
  const cluster = await openCluster(context.writing)
  try {
    await cluster.addMultipleTargetTopics(topics)
    const coordinator = await transactionCoordinator(cluster, transactionalId)
    // Resolves when the markers of transactions in progress are written (or skipped).
    const producer = await coordinator.initProducerId({ transactionalId, transactionTimeout: transactionTimeoutMs })
    const ends = await endsOf(cluster, topics)
    const hidden = await hiddenBefore(ends, admin)
    if (hidden.length === 0) return
    // Committed, not aborted: aborting could lose acknowledged records, or records whose input offset has moved on. The
    // owner of a transactor reads the existing records before it continues.
    const transaction = { transactionalId, producerId: producer.producerId, producerEpoch: producer.producerEpoch }
    await coordinator.addPartitionsToTxn({ ...transaction, topics: hidden })
    if (group !== undefined) await coordinator.addOffsetsToTxn({ ...transaction, groupId: group })
    await coordinator.endTxn({ ...transaction, transactionResult: true })
    await untilSeen(context.timeoutMs, async () => (await hiddenBefore(ends, admin)).length === 0)
  } finally {
    await cluster.disconnect()
  }
}

/** Polls until `isSeen` returns true; rejects with `LogUnavailable` after the timeout. */
export function untilSeen(timeoutMs: number, isSeen: () => Promise<boolean>): Promise<void> {
  const late = new LogUnavailable('Written records are not visible in Kafka')
  return waitUntil(isSeen, late, { firstDelayMs: 1, maxDelayMs: 100, withinMs: timeoutMs })
}

type Ends = ReadonlyMap<string, ReadonlyMap<number, number>>

/** Returns the next offset to write of each partition, including uncommitted records. */
async function endsOf(cluster: Cluster, topics: readonly string[]): Promise<Ends> {
  const request = topics.map(topic => ({
    topic,
    fromBeginning: false,
    partitions: cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId })),
  }))
  const responses = await cluster.fetchTopicsOffset(request)
  return new Map(
    responses.map(({ topic, partitions }) => [
      topic,
      new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)])),
    ]),
  )
}

/** Finds the partitions in which readers do not see everything before the end. */
async function hiddenBefore(ends: Ends, admin: TopicAdmin): Promise<readonly PartitionsOfTopic[]> {
  const hidden = [...ends].map(async ([topic, byPartition]) => {
    const ranges = await admin.ranges(topic, 'soon')
    const partitions = [...byPartition].filter(([partition, end]) => (ranges[partition]?.high ?? 0) < end)
    return { topic, partitions: partitions.map(([partition]) => partition) }
  })
  return (await Promise.all(hidden)).filter(({ partitions }) => partitions.length > 0)
}
