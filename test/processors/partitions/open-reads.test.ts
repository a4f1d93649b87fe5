import { expect } from 'chai'
import { OpenReads } from '../../../processors/partitions/open-reads.ts'
import { ManualTime } from '../../support/manual-time.ts'

describe('OpenReads', () => {
  let time: ManualTime
  let reads: OpenReads

  beforeEach(() => {
    time = new ManualTime()
    reads = new OpenReads(time)
  })

  it('A read counts while it is in progress, however long, and shortly after it', async () => {
    expect(reads.isReading).to.equal(false)
    const read = reads.around(() => time.pause(60_000))
    await time.pass(30_000)
    expect(reads.isReading, 'in progress').to.equal(true)
    await time.pass(30_000)
    await read
    expect(reads.isReading, 'after it').to.equal(true)
    await time.pass(1_000)
    expect(reads.isReading, 'later').to.equal(false)
  })

  it('A read that rejects ends, and of two reads the last one', async () => {
    const [first, second] = [reads.around(() => time.pause(10_000)), reads.around(() => Promise.reject(new Error('x')))]
    await second.catch(() => undefined)
    await time.pass(5_000)
    expect(reads.isReading, 'the other read').to.equal(true)
    await time.pass(5_000)
    await first
    await time.pass(1_000)
    expect(reads.isReading).to.equal(false)
  })

  it('A page that is opened announces reads for a short time', async () => {
    reads.expect()
    expect(reads.isReading).to.equal(true)
    await time.pass(1_000)
    expect(reads.isReading).to.equal(false)
  })
})
