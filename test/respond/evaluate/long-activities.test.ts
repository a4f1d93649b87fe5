import { expect } from 'chai'
import { LongActivities, maxMachines } from '../../../respond/evaluate/long-activities.ts'
import { asMachineRef } from '../../../schema/refs.ts'

/** Machines from 1,000 on are those of company 1, and so on. */
const companyOf = (machineRef: number) => String(Math.floor(machineRef / 1_000))

describe('LongActivities', () => {
  const owner = {}

  /** Adds machines in order; returns the numbers of those that it has, of each company. */
  function countsAfter(...refs: readonly number[]): readonly number[] {
    const long = new LongActivities(companyOf)
    for (const ref of refs) long.add(asMachineRef(ref), owner)
    const kept = [...new Set(refs)].filter(ref => long.has(asMachineRef(ref), owner))
    return ['0', '1', '2'].map(company => kept.filter(ref => companyOf(ref) === company).length)
  }
  const machinesOf = (company: number, count: number) => Array.from({ length: count }, (_, i) => 1_000 * company + i)

  it('A company may have all places, and loses some to further companies', () => {
    const own = machinesOf(0, maxMachines + 5)
    expect(countsAfter(...own)).to.deep.equal([maxMachines, 0, 0])
    expect(countsAfter(...own, ...machinesOf(1, 1))).to.deep.equal([maxMachines - 1, 1, 0])
    expect(countsAfter(...own, ...machinesOf(1, maxMachines))).to.deep.equal([maxMachines / 2, maxMachines / 2, 0])
    expect(countsAfter(...own, ...machinesOf(1, 15), ...machinesOf(2, 15))).to.deep.equal([7, 7, 6])
  })

  it('Companies with equal shares do not take places of each other', () => {
    const all = [...machinesOf(0, 10), ...machinesOf(1, 10)]
    const long = new LongActivities(companyOf)
    for (const ref of [...all, 500, 1_500]) long.add(asMachineRef(ref), owner)
    expect(all.every(ref => long.has(asMachineRef(ref), owner))).to.equal(true)
  })

  it('A long activity belongs to the owner that added its machine last, and is removed when no owner needs it', () => {
    const long = new LongActivities(companyOf)
    const [machine, next] = [asMachineRef(1), {}]
    long.add(machine, owner)
    long.add(machine, next)
    expect([long.has(machine, owner), long.has(machine, next)]).to.deep.equal([false, true])
    long.retain((_, of) => of === next)
    expect(long.has(machine, next)).to.equal(true)
    long.retain(() => false)
    expect(long.has(machine, next)).to.equal(false)
  })
})
