import { expect } from 'chai'
import * as fc from 'fast-check'
import { hourMs } from '../../../shared/time/units.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import { hashState, initialState, parseState, serializeState, stateHash } from '../../../processors/timeline/state.ts'
import { anyInputs, anySample } from './arbitraries.ts'
import { compute, condition, execution, inputsOf, minute, parts, sample, startMs } from './support.ts'

describe('state carried from hour to hour', () => {
  it('A serialized state is parsed back unchanged', () => {
    fc.assert(
      fc.property(anyInputs(), fc.array(anySample()), (inputs, samples) => {
        const inHour = sortAndDeduplicate(samples.filter(({ atUs }) => atUs < (startMs + hourMs) * 1000))
        const { stateOut, document } = computeHour(inputs, startMs, initialState(), inHour, [])
        const back = parseState(document.stateOut)
        expect(back).to.deep.equal(stateOut)
        expect(serializeState(back)).to.equal(document.stateOut)
        expect(stateHash(back)).to.equal(document.hashOut)
      }),
    )
  })

  it('The serialized state does not depend on the order of its keys', () => {
    const one = [
      execution(0, 'ACTIVE', 'a'),
      execution(1, 'ACTIVE', 'b'),
      parts(0, 1, { key: 'x' }),
      parts(1, 1, { key: 'y' }),
    ]
    const other = [
      execution(0, 'ACTIVE', 'b'),
      execution(0, 'ACTIVE', 'a'),
      parts(0, 1, { key: 'y' }),
      parts(1, 1, { key: 'x' }),
    ]
    expect(compute(inputsOf(), one)[0]?.stateOut).to.equal(compute(inputsOf(), other)[0]?.stateOut)
  })

  it('The state contains no values that cannot influence later hours', () => {
    const past = [
      execution(0, 'ACTIVE'),
      sample(0, 'SPINDLE_SPEED', '100'),
      sample(0, 'CUTTING', 'true'),
      condition(0, 'FAULT', '1', 'hot'),
      sample(1, 'SPINDLE_SPEED', '0'),
      sample(1, 'CUTTING', 'false'),
      condition(1, 'NORMAL'),
      sample(2, 'EMERGENCY_STOP', 'ARMED'),
    ]
    const plain = compute(inputsOf(), [execution(1, 'ACTIVE')])
    expect(compute(inputsOf(), past)[0]?.stateOut).to.equal(plain[0]?.stateOut)
  })

  it('The state and its hash are unchanged by an hour without samples', () => {
    const inputs = inputsOf()
    const { stateOut } = computeHour(inputs, startMs, initialState(), [execution(0, 'ACTIVE')], [])
    const quiet = computeHour(inputs, startMs + hourMs, stateOut, [], [])
    expect(quiet.stateOut).to.equal(stateOut)
    expect(quiet.document.hashIn).to.equal(quiet.document.hashOut)
  })

  it('A late sample changes no hours after the first whose state stays equal', () => {
    const samples = [
      execution(10 * minute, 'ACTIVE'),
      execution(hourMs + minute, 'READY'),
      execution(2 * hourMs, 'ACTIVE'),
    ]
    const before = compute(inputsOf(), samples, { hours: 4 })
    const after = compute(inputsOf(), [...samples, execution(20 * minute, 'READY')], { hours: 4 })
    const areEqual = before.map((document, index) => document.hashOut === after[index]?.hashOut)
    expect(areEqual).to.deep.equal([false, false, true, true])
  })

  it('The state hash is the decimal text of a UInt64', () => {
    expect(BigInt(hashState(''))).to.equal(BigInt.asUintN(64, BigInt(hashState(''))))
    expect(hashState('a')).not.to.equal(hashState('b'))
  })
})
