import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const prefix = 'no group '

/**
 * Returns the id of a consumer that belongs to no group: kafkajs requires one. Each consumer has its own, because the
 * consumers of one kafkajs client and id share their offsets, and each deletes those of topics that it does not read.
 */
export function noGroupId(): string {
  return `${prefix}${randomUUID()}`
}

interface JoinRequest {
  readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[]
}
interface Assignment {
  readonly memberAssignment: Buffer
}
interface TopicOffsets {
  readonly topic: string
  readonly partitions: readonly { readonly partition: number }[]
}
interface Cluster {
  findGroupCoordinator: (this: Cluster, of: { readonly groupId: string }) => Promise<object>
}

const memberId = 'reader'

/** Replaces the broker's coordinator: assigns all partitions to the only member and stores no offset. */
const localCoordinator = {
  isConnected: () => true,
  joinGroup: async ({ groupProtocols: [protocol] }: JoinRequest) => ({
    generationId: 1,
    leaderId: memberId,
    memberId,
    groupProtocol: protocol?.name,
    members: [{ memberId, memberMetadata: protocol?.metadata }],
  }),
  syncGroup: async ({ groupAssignment: [all] }: { readonly groupAssignment: readonly Assignment[] }) =>
    all ?? { memberAssignment: Buffer.alloc(0) },
  heartbeat: async () => undefined,
  leaveGroup: async () => undefined,
  offsetFetch: async ({ topics }: { readonly topics: readonly TopicOffsets[] }) => ({
    responses: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition }) => ({ partition, offset: '-1' })),
    })),
  }),
  offsetCommit: async () => undefined,
}

/**
 * kafkajs reads only as a member of a group. With this patch, a consumer with such an id sends no request to a
 * coordinator, so that the broker stores no group, which would remain after a kill.
 */
export function patchNoGroup(): void {
  const { prototype }: { readonly prototype: Cluster } = require('kafkajs/src/cluster')
  const { findGroupCoordinator } = prototype
  prototype.findGroupCoordinator = async function (this: Cluster, of) {
    return of.groupId.startsWith(prefix) ? localCoordinator : findGroupCoordinator.call(this, of)
  }
}
