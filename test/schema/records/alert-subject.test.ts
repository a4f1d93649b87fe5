import { expect } from 'chai'
import { appliesToConnector, appliesToMachine } from '../../../schema/records/alert-subject.ts'

/** Ids that count how often one of them is read. */
function countReads(ids: readonly string[]) {
  const counted = { reads: 0, ids }
  counted.ids = new Proxy(ids, {
    get: (target, name, receiver): unknown => {
      if (typeof name === 'string' && /^\d+$/.test(name)) counted.reads++
      return Reflect.get(target, name, receiver)
    },
  })
  return counted
}

const named = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe('subjects of rules', () => {
  it('A subject contains its machines, those of its groups, and its connectors; without ids, all', () => {
    const machine = { id: 'm1', machineGroupIds: ['g1'] }
    const applies = (machineIds: string[], machineGroupIds: string[]) =>
      appliesToMachine({ machineIds, machineGroupIds }, machine)
    expect([applies([], []), applies(['m1'], []), applies(['m2'], ['g2', 'g1'])]).to.deep.equal([true, true, true])
    expect([applies(['m2'], []), applies(['m2'], ['g2'])]).to.deep.equal([false, false])
    expect(['c1', 'c2'].map(id => appliesToConnector({ connectorIds: ['c1'] }, id))).to.deep.equal([true, false])
    expect(appliesToConnector({ connectorIds: [] }, 'c1')).to.equal(true)
  })

  it('A long list is not searched again for each machine', () => {
    const [machines, groups, connectors] = [named(5_000, 'm'), named(5_000, 'g'), named(5_000, 'c')].map(countReads)
    if (!machines || !groups || !connectors) throw new Error('Invariant: three lists')
    const subject = { machineIds: machines.ids, machineGroupIds: groups.ids }
    for (const id of named(100, 'other')) {
      expect(appliesToMachine(subject, { id, machineGroupIds: ['none'] })).to.equal(false)
      expect(appliesToConnector({ connectorIds: connectors.ids }, id)).to.equal(false)
    }
    expect([machines.reads, groups.reads, connectors.reads]).to.deep.equal([5_000, 5_000, 5_000])
  })
})
