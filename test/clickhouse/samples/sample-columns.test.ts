import { expect } from 'chai'
import { SampleColumns } from '../../../clickhouse/samples/sample-columns.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'

describe('columns of samples', () => {
  it('keep each set of names once, also where a machine sends many codes under one key', () => {
    const columns = new SampleColumns()
    const samples = Array.from({ length: 500 }, (_, i) => aSample(i, `code ${i % 100}`))
    for (const sample of samples) columns.push({ companyRef: asCompanyRef(1), sample })
    expect([...columns].map(({ sample }) => sample)).to.deep.equal(samples)
    expect(columns.names).to.have.length(100)
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
