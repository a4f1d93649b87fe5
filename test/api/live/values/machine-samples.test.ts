import { assert } from 'chai'
import * as fc from 'fast-check'
import { LatestValues, type PublishedValue } from '../../../../api/live/values/latest-values.ts'
import { LiveMachineSamples } from '../../../../api/live/values/machine-samples.ts'
import { ValueMemoryQuota } from '../../../../api/live/values/value-memory-quota.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../../schema/records/machine.ts'
import { asMachineRef } from '../../../../schema/refs.ts'

const atMs = Date.parse('2026-03-01T10:00:00Z')
const machine: MachineRecord = {
  ...defaultMachineSettings,
  id: 'm',
  ref: asMachineRef(1),
  companyId: 'c',
  name: 'Mill',
  createdAt: '2026-01-01T00:00:00.000Z',
}

function value(type: string, ms: number, more: Partial<PublishedValue> = {}): PublishedValue {
  return { machineRef: machine.ref, atUs: ms * 1000, key: type, type, subtype: '', value: '1', ...more }
}

describe('samples of machines', () => {
  it('The last sample is the newest one of all keys, in any order, also of one beyond the memory quota', () => {
    const quota = new ValueMemoryQuota({ bytes: 1, companyOf: () => 'c', isShared: () => false })
    for (const values of [new LatestValues(), new LatestValues(quota)]) {
      const samples = new LiveMachineSamples({ values, isRestored: true })
      assert.isNull(samples.read(machine).lastSample)
      values.apply(value('LOAD', atMs + 5))
      values.restore(value('EXECUTION', atMs))
      assert.equal(samples.read(machine).lastSample, '2026-03-01T10:00:00.005Z')
    }
  })

  it('The list of missing meanings changes with new keys and settings', () => {
    const values = new LatestValues()
    const samples = new LiveMachineSamples({ values, isRestored: true })
    const missing = (changes: Partial<MachineRecord> = {}) => samples.read({ ...machine, ...changes }).missing
    assert.deepEqual(samples.read(machine).missing, ['state', 'parts', 'spindle'])
    values.apply(value('EXECUTION', atMs))
    assert.deepEqual(samples.read(machine).missing, ['parts', 'spindle'])
    values.apply(value('ROTARY_VELOCITY', atMs, { category: 'CONDITION' }))
    assert.deepEqual(samples.read(machine).missing, ['parts', 'spindle'])
    assert.deepEqual(missing({ partCounter: 'cycle' }), ['spindle'])
    values.restore(value('LOAD', atMs))
    assert.deepEqual(missing({ partCountKey: 'load' }), ['spindle'])
    assert.deepEqual(missing({ partCountKey: 'load', cutSignal: { key: 'LOAD', above: 1 } }), [])
    assert.deepEqual(samples.read(machine).missing, ['parts', 'spindle'])
  })

  it('A new key of a machine is read without its other keys', () => {
    const values = new LatestValues()
    const samples = new LiveMachineSamples({ values, isRestored: true })
    for (let i = 0; i < 100; i++) values.apply(value(`LOAD${i}`, atMs))
    const readMetrics = countMetricReads(values)
    assert.deepEqual(samples.read(machine).missing, ['state', 'parts', 'spindle'])
    assert.equal(readMetrics(), 100)
    values.apply(value('EXECUTION', atMs))
    values.apply(value('OTHER', atMs, { machineRef: asMachineRef(2) }))
    assert.deepEqual(samples.read(machine).missing, ['parts', 'spindle'])
    assert.equal(readMetrics(), 101)
    values.apply(value('OTHER', atMs, { machineRef: asMachineRef(2) }))
    assert.deepEqual(samples.read(machine).missing, ['parts', 'spindle'])
    assert.equal(readMetrics(), 101)
  })

  it('After any order of keys and reads, what is missing is what all keys together do not determine', () => {
    const machines: MachineRecord[] = [
      machine,
      { ...machine, partCounter: 'none' },
      { ...machine, partCounter: 'cycle' },
      { ...machine, partCountKey: 'load' },
    ]
    const step = fc.record({
      machineRef: fc.constantFrom(1, 2).map(asMachineRef),
      type: fc.constantFrom('EXECUTION', 'EMERGENCY_STOP', 'ROTARY_VELOCITY', 'PART_COUNT', 'LOAD', 'X'),
      category: fc.constantFrom('EVENT', 'CONDITION'),
      reads: fc.subarray(machines),
    })
    const property = fc.property(fc.array(step, { maxLength: 20 }), steps => {
      const values = new LatestValues()
      const samples = new LiveMachineSamples({ values, isRestored: true })
      for (const { reads, type, ...names } of steps) {
        values.apply(value(type, atMs, names))
        for (const each of reads) {
          const atOnce = new LiveMachineSamples({ values, isRestored: true })
          assert.deepEqual(samples.read(each), atOnce.read(each))
        }
      }
    })
    fc.assert(property)
  })

  it('Nothing is said to be missing before all keys are known', () => {
    const values = new LatestValues()
    assert.isNull(new LiveMachineSamples({ values, isRestored: false }).read(machine).missing)
    const quota = new ValueMemoryQuota({ bytes: 1, companyOf: () => 'c', isShared: () => false })
    const full = new LatestValues(quota)
    full.apply(value('LOAD', atMs))
    assert.isNull(new LiveMachineSamples({ values: full, isRestored: true }).read(machine).missing)
  })
})

/** Returns how often names of metrics were read since. */
function countMetricReads({ metrics }: LatestValues): () => number {
  let reads = 0
  const byId = metrics.byId.bind(metrics)
  metrics.byId = id => {
    reads++
    return byId(id)
  }
  return () => reads
}
