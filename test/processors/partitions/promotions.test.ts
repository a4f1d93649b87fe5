import { expect } from 'chai'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import { PendingPromotions, promotionsOf } from '../../../processors/partitions/promotions.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const machine: MachineRecord = {
  ...defaultMachineSettings,
  id: 'b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c11',
  ref: asMachineRef(7),
  companyId: 'c',
  name: 'Lathe',
  createdAt: '2026-01-01T00:00:00.000Z',
}

function change(before: Partial<MachineRecord> | null, after: Partial<MachineRecord>) {
  return {
    kind: 'machine',
    id: machine.id,
    before: before && { ...machine, ...before },
    after: { ...machine, ...after },
  } as const
}

describe('promotion of a newly named key', () => {
  it('A promotion is requested only for a key that a setting did not name before', () => {
    expect(promotionsOf(change({}, { partCountKey: 'good_parts' }), 12)).to.deep.equal([
      { machineRef: 7, key: 'GOODPARTS', recordsOffset: 12 },
    ])
    expect(promotionsOf(change({ partCountKey: 'GoodParts' }, { partCountKey: 'good_parts' }), 12)).to.deep.equal([])
    expect(promotionsOf(change(null, { cutSignal: { key: 'Zload', above: 3 } }), 12)).to.deep.equal([])
  })

  it('A promotion is ready once every samples partition has read the record', () => {
    const pending = new PendingPromotions(2)
    pending.add([{ machineRef: asMachineRef(7), key: 'GOODPARTS', recordsOffset: 12 }])
    pending.mark(0, 12)
    expect(pending.ready()).to.deep.equal([])
    pending.mark(1, 11)
    expect(pending.ready()).to.deep.equal([])
    pending.mark(1, 13)
    expect(pending.ready()).to.have.length(1)
    pending.mark(1, 2)
    expect(pending.ready()).to.have.length(1)
    const [promotion] = pending.ready()
    if (promotion) pending.done(promotion)
    expect(pending.size).to.equal(0)
  })
})
