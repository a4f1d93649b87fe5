import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { Problem } from '../../../ingest/mapping/convert-value.ts'
import { KeyRules } from '../../../ingest/mapping/key-rules.ts'
import { defaultConnectorMachine, defaultConnectorOptions } from '../../../schema/records/connector.ts'
import { defined } from '../../../shared/collections/defined.ts'
import { parseInstantUs } from '../../../shared/time/instant.ts'
import { mapNaively } from './naive-mapping.ts'
import { machineIds, randomRule, randomValue } from './random-connector.ts'

describe('mapping of samples with a key', () => {
  it('A rule with equals applies to a text, number, boolean or null with this text, and to no other value', () => {
    const sample = (value: unknown) => ({ key: 'k', type: 'T', timestamp: '2024-05-06T08:00:00Z', value })
    const isMapped = (equals: string, value: unknown) => {
      const rules = new KeyRules([{ from: 'k', equals, key: 'mapped' }])
      const found = rules.map(sample(value))
      return !(found instanceof Problem) && found.key === 'mapped'
    }
    for (const [equals, value] of [
      ['on', 'on'],
      ['1', 1],
      ['true', true],
    ] as const)
      expect(isMapped(equals, value), equals).to.equal(true)
    for (const value of [{ toString: 1 }, { toString: null, valueOf: null }, {}, [1], ['on'], undefined])
      for (const equals of ['on', '1', '[object Object]', 'undefined'])
        expect(isMapped(equals, value), `${equals} ${JSON.stringify(value)}`).to.equal(false)
  })

  it('A random rule gives the values of the naive interpreter, and all other fields stay', () => {
    const seen = { mapped: 0, unmapped: 0 }
    const raw = fc.record({
      key: fc.constantFrom('K', 'k', 'other'),
      type: fc.constant('T'),
      qualifier: fc.constant('q'),
    })
    const check = fc.property(randomRule, randomValue, raw, (made, value, names) => {
      const { each: _, deadband: __, unavailable: ___, equals: ____, ...rule } = made
      if (JSON.stringify(rule).includes('"@')) return
      const machines = [{ ...defaultConnectorMachine, source: '#', machineId: machineIds[0] }]
      const connector = { rules: [{ ...rule, from: '#' }], machines, options: defaultConnectorOptions }
      const [[naive] = []] = mapNaively(connector, [{ topic: 'x', text: JSON.stringify(value), receivedUs: 0 }]).samples
      // JSON has no -0.
      const sample = {
        ...names,
        timestamp: '2024-05-06T08:00:00Z',
        value: JSON.parse(JSON.stringify(value)) as unknown,
      }
      const found = new KeyRules([{ ...rule, from: 'k' }]).map(sample)
      if (names.key === 'other') return assert.equal(found, sample)
      if (naive === undefined) return assert.ok(found instanceof Problem, String(seen.unmapped++))
      assert.ok(!(found instanceof Problem))
      const { machineId: _____, timestamp, ...changed } = naive
      const timed = rule.time === undefined ? {} : { timestamp }
      const at = typeof found.timestamp === 'string' ? parseInstantUs(found.timestamp) : null
      const read = rule.time === undefined ? found : { ...found, timestamp: at }
      assert.deepEqual(read, { ...sample, ...defined(changed), ...timed })
      seen.mapped++
    })
    fc.assert(check, { numRuns: 5_000 })
    expect(seen.mapped).to.be.above(500)
    expect(seen.unmapped).to.be.above(500)
  })
})
