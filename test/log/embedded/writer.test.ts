import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { PartitionLog } from '../../../log/embedded/partition.ts'
import { LevelDbStore } from '../../../log/embedded/store.ts'
import { Writer, type Job } from '../../../log/embedded/writer.ts'
import { text } from '../fixture.ts'

describe('writer of the embedded log', () => {
  it('The check of a job that is first in its batch sees the records of all earlier jobs', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-writer-'))
    const store = await LevelDbStore.open(path, () => undefined)
    const place = { topic: 't', topicId: 1, partition: 0, start: 0, knownEnd: 0 }
    const log = await PartitionLog.open(store, { ...place, onGap: () => undefined })
    const writer = new Writer(store, () => [log], Date.now)
    const ends: number[] = []
    const submit = (isFirst: boolean) => {
      const job: Job = { records: [{ log, record: text('x') }], sync: false, isFirst, check: () => ends.push(log.end) }
      return writer.submit(job)
    }
    await Promise.all([submit(false), submit(false), submit(true), submit(false)])
    expect(ends).to.deep.equal([0, 0, 2, 2])
    await writer.close()
    await store.close()
    rmSync(path, { recursive: true, force: true })
  })
})
