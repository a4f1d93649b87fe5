import { expect } from 'chai'
import type { OwnedPartition } from '../../../processors/partitions/owned-partition.ts'
import { ProgressReporter } from '../../../processors/partitions/progress-reporter.ts'
import { readAs } from '../../support/read-as.ts'

describe('ProgressReporter', () => {
  /** Reports a partition once; returns the offset of the records that is stored for it, null if none is. */
  async function storedOffset(
    owned: Pick<OwnedPartition, 'recordsOffset' | 'storedRecordsOffset'>,
    offset: number,
    waiting: { readonly dirtyHours?: number; readonly changes?: number } = {},
  ): Promise<number | null> {
    const { dirtyHours = 0, changes = 0 } = waiting
    const batches = { nextOffset: 0 }
    const partition = { batches, tracks: { dirtyHours }, days: { staleDays: 0 }, rebuilds: { progress: [] } }
    const all = { ...owned, number: 0, fence: 1, partition, promotions: { size: 0 }, changes: { size: changes } }
    let stored: number | null = null
    const reporter = new ProgressReporter({
      log: { append: async () => [] },
      store: { writeRecordsOffsets: async ([written]) => void (stored = written?.recordsOffset ?? null) },
      records: { offset },
      alarmIds: { due: () => 0 },
      owned: new Map([[0, readAs<OwnedPartition>(all)]]),
    })
    await reporter.report()
    return stored
  }

  it('The offset of the records is stored when the documents include all changes up to it', async () => {
    const owned = { storedRecordsOffset: 4, recordsOffset: 6 }
    expect(await storedOffset(owned, 9)).to.equal(9)
    expect(await storedOffset(owned, 9, { dirtyHours: 1 })).to.equal(null)
    expect(await storedOffset(owned, 9, { changes: 1 })).to.equal(null)
  })

  it('The offset of changes without effect on documents is stored after 1,000 entries', async () => {
    const owned = { storedRecordsOffset: 6, recordsOffset: 6 }
    expect(await storedOffset(owned, 1_006)).to.equal(null)
    expect(await storedOffset(owned, 1_007)).to.equal(1_007)
  })
})
