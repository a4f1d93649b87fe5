import { expect } from 'chai'
import { isStateSample, namedKeys } from '../../../processors/timeline/state-samples.ts'
import { condition, sample } from './support.ts'

const none = namedKeys({ partCountKey: null, cutSignal: null })

describe('state samples', () => {
  const deciding = [
    sample(0, 'EXECUTION', 'ACTIVE'),
    sample(0, 'Rotary Velocity', '1'),
    sample(0, 'SPINDLE_SPEED', '1', { subtype: 'ACTUAL' }),
    sample(0, 'SPINDLE_ROTATING', 'true'),
    sample(0, 'CUTTING', 'true'),
    sample(0, 'EMERGENCY_STOP', 'ARMED'),
    sample(0, 'PartCount', '1'),
    sample(0, 'PART_COUNT', '1', { subtype: 'ALL' }),
    condition(0, 'NORMAL'),
    sample(0, 'ROTARY_VELOCITY', '1', { subtype: 'COMMANDED' }),
    sample(0, 'PART_COUNT', '1', { subtype: 'BAD' }),
  ]
  for (const one of deciding) {
    it(`${one.category} ${one.type} ${one.subtype || 'without subtype'} is a state sample`, () =>
      expect(isStateSample(one, none)).to.equal(true))
  }

  const others = [sample(0, 'AVAILABILITY', 'AVAILABLE'), sample(0, 'POSITION', '1'), sample(0, 'constructor', '1')]
  for (const one of others) {
    it(`${one.type} ${one.subtype || 'without subtype'} is not a state sample`, () =>
      expect(isStateSample(one, none)).to.equal(false))
  }

  it('A sample of any key that the settings name is a state sample, in any spelling of the key', () => {
    const named = namedKeys({ partCountKey: 'MacroVar', cutSignal: { key: 'load 1', above: 3 } })
    expect(isStateSample(sample(0, 'VARIABLE', '1', { key: 'macro_var' }), named)).to.equal(true)
    expect(isStateSample(sample(0, 'LOAD', '1', { key: 'LOAD_1' }), named)).to.equal(true)
    expect(isStateSample(sample(0, 'LOAD', '1', { key: 'LOAD_2' }), named)).to.equal(false)
  })
})
