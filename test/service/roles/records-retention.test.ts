import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { type Log, OffsetOutOfRange } from '../../../log/log.ts'
import { followRecords } from '../../../processors/records/follow.ts'
import { Records } from '../../../processors/records/records.ts'
import { topics } from '../../../schema/topics.ts'
import { deleteOldRecords } from '../../../service/roles/records-retention.ts'

const partitions = 2
const laterMs = Date.now() + 3_600_000

describe('entries that a retention of records.v1 keeps', () => {
  let folder: string
  let log: Log
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-retention-'))
    log = await openEmbeddedLog({ path: folder })
    await log.createTopics([
      { name: topics.records, partitions: 1, retentionMs: null },
      { name: topics.stateSamples, partitions, retentionMs: null },
    ])
    for (let i = 0; i < 20; i++)
      await log.append(topics.records, [{ key: null, value: Buffer.from(`${i}`), partition: 0 }])
  })
  afterEach(async () => {
    await log.close()
    rmSync(folder, { recursive: true })
  })

  /** Deletes entries; returns the offset of the first one that is left. */
  async function firstAfter(
    position: { readonly offset: number; readonly outcomesFrom: number } | null,
    ofPartitions: readonly (readonly [number, number])[],
  ): Promise<number> {
    const known = position && { ...position, commandOffset: 0, commandId: '', highestRefs: {} }
    const progress = { readRecordsOffsets: async () => new Map(ofPartitions) }
    await deleteOldRecords({ log, stored: { readPosition: async () => known }, progress }, laterMs)
    const offsets: number[] = []
    const follower = await log.follow({
      topic: topics.records,
      from: 'earliest',
      onBatch: ({ records }) => void offsets.push(...records.map(({ offset }) => offset)),
    })
    await follower.caughtUp
    await follower.stop()
    return offsets[0] ?? -1
  }

  const all = [
    [0, 15],
    [1, 15],
  ] as const

  it('Entries from the position of the store on stay', async () => {
    expect(await firstAfter({ offset: 7, outcomesFrom: 15 }, all)).to.equal(7)
    const following = followRecords(log, new Records())
    expect(await following.catch((error: unknown) => error), 'a reader of all entries').to.be.instanceOf(
      OffsetOutOfRange,
    )
  })

  it('Entries with outcomes that a registrar reads stay', async () => {
    expect(await firstAfter({ offset: 15, outcomesFrom: 6 }, all)).to.equal(6)
  })

  it('Entries after the changes in the documents of a partition stay', async () => {
    expect(await firstAfter({ offset: 15, outcomesFrom: 15 }, [all[0], [1, 5]])).to.equal(5)
  })

  it('All entries stay if a partition has no documents, or the store does not follow the log', async () => {
    expect(await firstAfter({ offset: 15, outcomesFrom: 15 }, [all[0]])).to.equal(0)
    expect(await firstAfter(null, all)).to.equal(0)
    expect(await firstAfter({ offset: 15, outcomesFrom: 15 }, [all[0], [1, -1]])).to.equal(0)
  })
})
