import { expect } from 'chai'
import { WriteCounts } from '../../../clickhouse/client/write-counts.ts'

describe('WriteCounts', () => {
  const both = ['stale_days', 'day_coverage']

  it('The write count changes when a write begins and when it ends', async () => {
    const writes = new WriteCounts()
    const before = writes.of(both)
    let during = before
    await writes.around('stale_days', async () => void (during = writes.of(both)))
    expect(new Set([before, during, writes.of(both)])).to.have.property('size', 3)
  })

  it('The write count changes when a write fails, because rows may have been written', async () => {
    const writes = new WriteCounts()
    let during = 0
    const failing = writes.around('day_coverage', async () => {
      during = writes.of(both)
      throw new Error('The disk is full')
    })
    expect(await failing.catch(String)).to.equal('Error: The disk is full')
    expect(writes.of(both)).to.not.equal(during)
  })

  it('Writes to other tables do not change the write count; writes to unknown tables do', async () => {
    const writes = new WriteCounts()
    const before = writes.of(both)
    await writes.around('hours', async () => {})
    expect(writes.of(both)).to.equal(before)
    await writes.around(null, async () => {})
    expect(writes.of(both)).to.not.equal(before)
  })
})
