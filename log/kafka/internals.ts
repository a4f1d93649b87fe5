import type { Kafka } from 'kafkajs'
import { LogUnavailable } from '../log.ts'

// Functions inside kafkajs 2.2.4 that it does not export: requests to a coordinator that belong to none of its
// producers.

/** Partitions of a topic. */
export interface PartitionsOfTopic {
  readonly topic: string
  readonly partitions: readonly number[]
}

interface TransactionOf {
  readonly transactionalId: string
  readonly producerId: string
  readonly producerEpoch: number
}

/** The requests of a transaction; each rejects with the broker's error. */
export interface Coordinator {
  initProducerId(request: {
    readonly transactionalId: string
    readonly transactionTimeout: number
  }): Promise<Pick<TransactionOf, 'producerId' | 'producerEpoch'>>
  addPartitionsToTxn(request: TransactionOf & { readonly topics: readonly PartitionsOfTopic[] }): Promise<unknown>
  addOffsetsToTxn(request: TransactionOf & { readonly groupId: string }): Promise<unknown>
  endTxn(request: TransactionOf & { readonly transactionResult: boolean }): Promise<unknown>
}

interface TopicPartition {
  readonly partition: number
}

/** The connections of one kafkajs client. */
export interface Cluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  findTopicPartitionMetadata(topic: string): readonly { readonly partitionId: number }[]
  fetchTopicsOffset(
    topics: readonly {
      readonly topic: string
      readonly fromBeginning: boolean
      readonly partitions: readonly TopicPartition[]
    }[],
  ): Promise<
    readonly {
      readonly topic: string
      readonly partitions: readonly (TopicPartition & { readonly offset: string })[]
    }[]
  >
  findGroupCoordinator(of: { readonly groupId: string; readonly coordinatorType: number }): Promise<Coordinator>
}

const readUncommitted = 0
const ofTransactions = 1

/** Opens separate connections, which also see uncommitted records. The caller disconnects them. */
export async function openCluster(kafka: Kafka): Promise<Cluster> {
  const cluster = clusterMaker(kafka)({ isolationLevel: readUncommitted, allowAutoTopicCreation: false })
  try {
    await cluster.connect()
    return cluster
  } catch (error) {
    await cluster.disconnect()
    throw error
  }
}

/** Finds the broker that coordinates the transactions of an id. */
export function transactionCoordinator(cluster: Cluster, transactionalId: string): Promise<Coordinator> {
  return cluster.findGroupCoordinator({ groupId: transactionalId, coordinatorType: ofTransactions })
}

type MakeCluster = (options: { readonly isolationLevel: number; readonly allowAutoTopicCreation: boolean }) => Cluster

function clusterMaker(kafka: Kafka): MakeCluster {
  const symbol = Object.getOwnPropertySymbols(kafka).find(each => each.description === 'private:Kafka:createCluster')
  const make: unknown = symbol === undefined ? undefined : Reflect.get(kafka, symbol)
  if (!isClusterMaker(make)) throw new LogUnavailable('This version of kafkajs cannot open a cluster')
  return make
}

function isClusterMaker(value: unknown): value is MakeCluster {
  return typeof value === 'function'
}
