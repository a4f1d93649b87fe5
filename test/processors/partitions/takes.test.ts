import { expect } from 'chai'
import { createTrack } from '../../../processors/partitions/machine-track.ts'
import { Takes } from '../../../processors/partitions/takes.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { inputsOf } from '../timeline/support.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'

const trackOf = (machineRef: MachineRef) => createTrack(machineRef, asCompanyRef(1), inputsOf(), 0)

describe('Takes', () => {
  it('Offsets wait for the documents of their batches, and the live offset waits only for live hours', () => {
    const takes = new Takes(10)
    const [a, b] = [trackOf(asMachineRef(1)), trackOf(asMachineRef(2))]
    a.dirty.add(0)
    b.dirty.add(5 * hourMs)
    takes.add(20, new Map())
    expect(takes.doneOffset()).to.equal(20)
    takes.add(30, new Map([[a, new Set([0])]]))
    takes.add(40, new Map([[b, new Set([5 * hourMs])]]))
    takes.add(50, new Map())
    expect([takes.nextOffset, takes.doneOffset(), takes.doneOffset(5 * hourMs)]).to.deep.equal([50, 20, 30])
    b.dirty.remove(5 * hourMs)
    takes.made([b])
    expect([takes.doneOffset(), takes.doneOffset(5 * hourMs)]).to.deep.equal([20, 50])
    takes.made([a])
    expect(takes.doneOffset(), 'still dirty').to.equal(20)
    a.dirty.remove(0)
    takes.made([a])
    expect(takes.doneOffset()).to.equal(50)
  })

  it('3,000 pending batches are merged into groups, so the done offset advances by whole groups', () => {
    const takes = new Takes(0)
    const track = trackOf(asMachineRef(1))
    for (let batch = 0; batch < 3_000; batch++) {
      track.dirty.add(batch * hourMs)
      takes.add(batch + 1, new Map([[track, new Set([batch * hourMs])]]))
    }
    expect(takes.doneOffset()).to.equal(0)
    for (let batch = 0; batch < 2_999; batch++) track.dirty.remove(batch * hourMs)
    takes.made([track])
    expect(takes.doneOffset()).to.equal(999)
    track.dirty.remove(2_999 * hourMs)
    takes.made([track])
    expect(takes.doneOffset()).to.equal(3_000)
  })
})
