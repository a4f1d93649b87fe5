import { createRequire } from 'node:module'
import { expect } from 'chai'
import { patchKafkajs } from '../../../log/kafka/patches.ts'

const require = createRequire(import.meta.url)

interface Pool {
  metadata: { readonly topicMetadata: readonly object[] }
  metadataExpireAt: number
  refreshMetadata: (topics: readonly string[]) => Promise<void>
  refreshMetadataIfNecessary(topics: readonly string[]): Promise<void>
}

describe('patchKafkajs', () => {
  it('Metadata is requested again only for a topic that was returned without partitions', async () => {
    patchKafkajs()
    const { prototype }: { readonly prototype: Pool } = require('kafkajs/src/cluster/brokerPool')
    const asked: (readonly string[])[] = []
    const pool: Pool = Object.assign(Object.create(prototype), {
      metadata: {
        topicMetadata: [
          { topic: 'old', partitionMetadata: [{}] },
          { topic: 'new', partitionMetadata: [] },
        ],
      },
      metadataExpireAt: Date.now() + 60_000,
      refreshMetadata: async (topics: readonly string[]) => {
        asked.push(topics)
      },
    })
    await pool.refreshMetadataIfNecessary(['old'])
    expect(asked).to.deep.equal([])
    await pool.refreshMetadataIfNecessary(['old', 'new'])
    await pool.refreshMetadataIfNecessary(['unknown'])
    expect(asked).to.deep.equal([['old', 'new'], ['unknown']])
  })
})
