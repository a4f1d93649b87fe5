import { expect } from 'chai'
import { SampleColumns } from '../../../clickhouse/samples/sample-columns.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'

describe('SampleColumns', () => {
  it('SampleColumns allocates the requested capacity', () => {
    const columns = new SampleColumns(3)
    expect(columns.company.buffer.byteLength).to.equal(3 * 4)
  })

  it('Each set of names is stored once, also with many codes under one key', () => {
    const columns = new SampleColumns()
    const samples = Array.from({ length: 500 }, (_, i) => aSample(i, `code ${i % 100}`))
    for (const sample of samples) columns.push({ companyRef: asCompanyRef(1), sample })
    expect([...columns].map(({ sample }) => sample)).to.deep.equal(samples)
    expect(columns.names).to.have.length(100)
  })

  it('All samples of other columns can be appended, including optional fields', () => {
    const numbered = { ...aSample(7, 'a'), message: 'door', instanceId: 1, sequence: 2, value: 'é' }
    const parts = [[], [aSample(1, 'a'), aSample(2, 'b')], [numbered, aSample(3, 'b')], [aSample(4, 'c')]]
    const columns = new SampleColumns()
    for (const part of parts)
      columns.append(SampleColumns.of(part.map(sample => ({ companyRef: asCompanyRef(1), sample }))))
    expect([...columns].map(({ sample }) => sample)).to.deep.equal(parts.flat())
    expect(columns.names).to.have.length(3)
    columns.cutTo(2)
    columns.push({ companyRef: asCompanyRef(1), sample: aSample(9, 'c') })
    expect([...columns].map(({ sample }) => sample)).to.deep.equal([aSample(1, 'a'), aSample(2, 'b'), aSample(9, 'c')])
  })
})

function aSample(atUs: number, nativeCode: string): Sample {
  const names = { key: 'system', type: 'SYSTEM', subtype: '', category: 'CONDITION' as const }
  const code = { nativeCode, nativeSeverity: '', qualifier: '' }
  return {
    machineRef: asMachineRef(1),
    atUs,
    ...names,
    ...code,
    value: 'FAULT',
    message: '',
    instanceId: null,
    sequence: null,
  }
}
