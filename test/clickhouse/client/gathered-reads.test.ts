import { expect } from 'chai'
import { gatherReads } from '../../../clickhouse/client/gathered-reads.ts'
import { asCompanyRef, asMachineRef, type CompanyRef, type MachineRef } from '../../../schema/refs.ts'

describe('batched reads', () => {
  const asked: string[] = []
  const read = gatherReads(async (companyRef: CompanyRef, machines: readonly MachineRef[], fromMs: number) => {
    asked.push(`${companyRef}: ${machines.join(' ')} from ${fromMs}`)
    return machines.map(machineRef => ({ machineRef, fromMs }))
  })
  const [first, second] = [asCompanyRef(1), asCompanyRef(2)]
  const machinesOf = async (companyRef: CompanyRef, machines: readonly number[], fromMs: number) => {
    const found = await read(companyRef, machines.map(asMachineRef), fromMs)
    return found.map(({ machineRef }) => machineRef)
  }

  it('Concurrent reads are sent as one query, and each caller gets the rows of its machines', async () => {
    asked.length = 0
    const reads = [machinesOf(first, [11, 12], 5), machinesOf(first, [13], 5), machinesOf(first, [], 5)]
    expect(await Promise.all(reads)).to.deep.equal([[11, 12], [13], []])
    expect(asked).to.deep.equal(['1: 11 12 13 from 5'])
  })

  it('Concurrent reads with different companies or bounds are separate queries', async () => {
    asked.length = 0
    const reads = [machinesOf(first, [11], 5), machinesOf(second, [12], 5), machinesOf(first, [13], 6)]
    expect(await Promise.all(reads)).to.deep.equal([[11], [12], [13]])
    expect(asked).to.deep.equal(['1: 11 from 5', '2: 12 from 5', '1: 13 from 6'])
  })
})
