import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Group id of consumers that belong to no group: kafkajs requires one. */
export const noGroup = 'no group'

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
 * kafkajs reads only as a member of a group. With this patch, a consumer with the id `noGroup` sends no request to a
 * coordinator, so that the broker stores no group, which would remain after a kill.
 */
export function patchNoGroup(): void {
  const { prototype }: { readonly prototype: Cluster } = require('kafkajs/src/cluster')
  const { findGroupCoordinator } = prototype
  prototype.findGroupCoordinator = async function (this: Cluster, of) {
    return of.groupId === noGroup ? localCoordinator : findGroupCoordinator.call(this, of)
  }
}
