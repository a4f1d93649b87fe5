import { expect } from 'chai'
import { createTrack } from '../../../processors/partitions/machine-track.ts'
import { PendingBatches } from '../../../processors/partitions/pending-batches.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { inputsOf } from '../timeline/support.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'

const trackOf = (machineRef: MachineRef) => createTrack(machineRef, asCompanyRef(1), inputsOf(), 0)

describe('PendingBatches', () => {
  it('Offsets wait for the documents of their batches, and the live offset waits only for live hours', () => {
    const pending = new PendingBatches(10)
    const [a, b] = [trackOf(asMachineRef(1)), trackOf(asMachineRef(2))]
    a.dirty.add(0)
    b.dirty.add(5 * hourMs)
    pending.add(20, new Map())
    expect(pending.doneOffset()).to.equal(20)
    pending.add(30, new Map([[a, new Set([0])]]))
    pending.add(40, new Map([[b, new Set([5 * hourMs])]]))
    pending.add(50, new Map())
    expect([pending.nextOffset, pending.doneOffset(), pending.liveOffset(5 * hourMs)]).to.deep.equal([50, 20, 30])
    b.dirty.remove(5 * hourMs)
    pending.removeComputed([b])
    expect([pending.doneOffset(), pending.liveOffset(5 * hourMs)]).to.deep.equal([20, 50])
    pending.removeComputed([a])
    expect(pending.doneOffset(), 'still dirty').to.equal(20)
    a.dirty.remove(0)
    pending.removeComputed([a])
    expect(pending.doneOffset()).to.equal(50)
  })

  it('3,000 pending batches are merged into groups, so the done offset advances by whole groups', () => {
    const pending = new PendingBatches(0)
    const track = trackOf(asMachineRef(1))
    for (let batch = 0; batch < 3_000; batch++) {
      track.dirty.add(batch * hourMs)
      pending.add(batch + 1, new Map([[track, new Set([batch * hourMs])]]))
    }
    expect(pending.doneOffset()).to.equal(0)
    for (let batch = 0; batch < 2_999; batch++) track.dirty.remove(batch * hourMs)
    pending.removeComputed([track])
    expect(pending.doneOffset()).to.equal(999)
    track.dirty.remove(2_999 * hourMs)
    pending.removeComputed([track])
    expect(pending.doneOffset()).to.equal(3_000)
  })
})
