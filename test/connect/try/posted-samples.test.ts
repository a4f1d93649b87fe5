import { expect } from 'chai'
import { findPosted } from '../../../connect/try/posted-samples.ts'
import { toConnector } from '../../../processors/registrar/commands/connector.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { omittedFields, type Sample } from '../../../schema/sample.ts'

const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'
const other = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e12'

describe('posted samples on which a mapping is tried', () => {
  const sample = (key: string, type: string, value: string): Sample => ({
    ...omittedFields,
    machineRef: asMachineRef(1),
    atUs: 1_795_420_800_000_001,
    key,
    type,
    subtype: '',
    value,
    category: 'EVENT',
  })
  const connector = (id: string, rules: { from: string; key?: string; type?: string }[], own = machineId) =>
    toConnector({ id, name: id, kind: 'http', machines: [{ machineId: own }], rules }, 'company', null)

  it('Keys have their number and last value, and the recording has the samples as a body contains them', () => {
    const { values, recording, devices } = findPosted(
      machineId,
      [sample('DB10.W4', 'WORD', '1'), sample('DB10.W4', 'WORD', '3')],
      [],
    )
    expect(values).to.deep.equal([{ name: 'DB10.W4', count: 2, example: '3' }])
    expect(recording.map(line => JSON.parse(line) as unknown)).to.deep.equal(
      ['1', '3'].map(value => ({
        machineId,
        timestamp: '2026-11-23T08:00:00.000001Z',
        key: 'DB10.W4',
        type: 'WORD',
        value,
        category: 'EVENT',
      })),
    )
    expect(devices).to.deep.equal([])
  })

  it('The recording of many samples has the newest ones', () => {
    const samples = Array.from({ length: 40 }, (_, number) => sample('k', 'WORD', `${number} ${'x'.repeat(20_000)}`))
    const { recording, values } = findPosted(machineId, samples, [])
    const numbers = recording.map(line => Number(/"value":"(\d+)/.exec(line)?.[1]))
    expect(numbers.at(-1)).to.equal(39)
    expect(numbers).to.deep.equal(numbers.map((_, index) => 40 - numbers.length + index))
    expect(values[0]?.count).to.equal(40)
  })

  it('Samples that a rule of the connector has mapped are left out, those of other rules stay', () => {
    const samples = [
      sample('db10 w4', 'EXECUTION', 'ACTIVE'),
      sample('DB10.W4', 'WORD', '3'),
      sample('DB10.W4', 'execution', 'ACTIVE'),
      sample('speed', 'ROTARY_VELOCITY', '7'),
      sample('rpm', 'X', '8'),
    ]
    const connectors = [
      connector('own', [
        { from: 'DB10.W4', type: 'EXECUTION' },
        { from: 'speed', key: 'rpm' },
      ]),
      connector('other', [{ from: 'speed' }], other),
    ]
    const { values } = findPosted(machineId, samples, connectors)
    expect(values.map(({ name }) => name)).to.deep.equal(['DB10.W4', 'db10 w4', 'speed'])
  })
})
