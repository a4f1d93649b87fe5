import { expect } from 'chai'
import { hourMs } from '../../../shared/time/units.ts'
import { computeOne, condition, execution, inputsOf, sample, second, statusesOf, timeline } from './support.ts'

const inputs = inputsOf()

describe('status of a machine', () => {
  it('A machine is UNAVAILABLE before its first EXECUTION, whatever its AVAILABILITY', () => {
    const document = computeOne(inputs, [sample(0, 'AVAILABILITY', 'AVAILABLE'), condition(0, 'FAULT', '1')])
    expect(statusesOf(document)).to.deep.equal([[0, hourMs, 'UNAVAILABLE']])
  })

  it('A machine is ACTIVE in cycle (ACTIVE or WAIT, in any letter case) and INACTIVE otherwise', () => {
    const document = computeOne(inputs, [execution(0, 'ACTIVE'), execution(1000, 'Wait'), execution(2000, 'FEED_HOLD')])
    expect(statusesOf(document)).to.deep.equal([
      [0, 2000, 'ACTIVE'],
      [2000, hourMs, 'INACTIVE'],
    ])
  })

  it('A machine is ACTIVE while any path is in cycle, and UNAVAILABLE only if every known path is', () => {
    const document = computeOne(inputs, [
      execution(0, 'UNAVAILABLE', 'path1'),
      execution(1000, 'ACTIVE', 'path2'),
      execution(2000, 'READY', 'path1'),
      execution(3000, 'UNAVAILABLE', 'path2'),
      execution(4000, 'UNAVAILABLE', 'path1'),
    ])
    expect(statusesOf(document)).to.deep.equal([
      [0, 1000, 'UNAVAILABLE'],
      [1000, 3000, 'ACTIVE'],
      [3000, 4000, 'INACTIVE'],
      [4000, hourMs, 'UNAVAILABLE'],
    ])
  })

  it('Spellings of an EXECUTION key are equal', () => {
    const document = computeOne(inputs, [execution(0, 'ACTIVE', 'PathOne'), execution(1000, 'UNAVAILABLE', 'path_one')])
    expect(statusesOf(document)).to.deep.equal([
      [0, 1000, 'ACTIVE'],
      [1000, hourMs, 'UNAVAILABLE'],
    ])
  })

  it('A machine is at FAULT, even in cycle, while a condition is at FAULT or an emergency stop is TRIGGERED', () => {
    const document = computeOne(inputs, [
      execution(0, 'ACTIVE'),
      condition(1000, 'WARNING', '1'),
      condition(2000, 'FAULT', '1'),
      condition(3000, 'NORMAL', '1'),
      sample(4000, 'EMERGENCY_STOP', 'triggered'),
      sample(5000, 'EMERGENCY_STOP', 'ARMED'),
      execution(6000, 'UNAVAILABLE'),
      condition(7000, 'FAULT', '1'),
    ])
    expect(statusesOf(document)).to.deep.equal([
      [0, 2000, 'ACTIVE'],
      [2000, 3000, 'FAULT'],
      [3000, 4000, 'ACTIVE'],
      [4000, 5000, 'FAULT'],
      [5000, 6000, 'ACTIVE'],
      [6000, hourMs, 'UNAVAILABLE'],
    ])
    expect(document.segments.every(({ start, end, inCycle }) => inCycle === (start < 6000 && end <= 6000))).to.equal(
      true,
    )
  })

  it('The status of a millisecond is that after all its samples', () => {
    const document = computeOne(inputs, [
      execution(0, 'READY'),
      execution(1000, 'ACTIVE'),
      execution(1000.9, 'READY'),
      execution(2000.2, 'ACTIVE'),
    ])
    expect(statusesOf(document)).to.deep.equal([
      [0, 2000, 'INACTIVE'],
      [2000, hourMs, 'ACTIVE'],
    ])
  })
})

describe('spindle rotation', () => {
  const spindle = (
    settings: Parameters<typeof inputsOf>[0],
    ...values: readonly (readonly [value: string, subtype: string])[]
  ) => {
    const samples = values.map(([value, subtype], index) =>
      sample(index * second, 'ROTARY_VELOCITY', value, { subtype, key: 'S' }),
    )
    return timeline(computeOne(inputsOf(settings), samples), ({ spindle }) => spindle).map(([start, , on]) => [
      start / second,
      on,
    ])
  }
  const table: readonly (readonly [string, ReturnType<typeof spindle>, ReturnType<typeof spindle>])[] = [
    ['is detected in either direction', spindle({}, ['-800', ''], ['0', '']), [[0, true], [1, false]]], // prettier-ignore
    ['starts at `spindleAbove`', spindle({ spindleAbove: 5 }, ['4.9', ''], ['5', '']), [[0, false], [1, true]]], // prettier-ignore
    ['is never detected at 0, even if `spindleAbove` is 0', spindle({ spindleAbove: 0 }, ['0', ''], ['0.1', '']), [[0, false], [1, true]]], // prettier-ignore
    ['reads only samples with subtype ACTUAL or none', spindle({}, ['800', 'ACTUAL'], ['0', 'COMMANDED']), [[0, true]]],
    ['ends at UNAVAILABLE', spindle({}, ['800', ''], ['UNAVAILABLE', '']), [[0, true], [1, false]]], // prettier-ignore
    ['ignores values that are not numbers', spindle({}, ['800', ''], ['fast', '']), [[0, true]]],
  ]
  for (const [name, actual, expected] of table)
    it(`Spindle rotation ${name}`, () => expect(actual).to.deep.equal(expected))

  it('SPINDLE_ROTATING of any key also makes the spindle rotate', () => {
    const document = computeOne(inputs, [
      sample(0, 'SpindleRotating', 'On', { key: 'a' }),
      sample(1000, 'SPINDLE_SPEED', '300', { key: 'b' }),
      sample(2000, 'SPINDLE_ROTATING', 'false', { key: 'a' }),
      sample(3000, 'SPINDLE_SPEED', '0', { key: 'b' }),
    ])
    expect(timeline(document, ({ spindle }) => spindle)).to.deep.equal([
      [0, 3000, true],
      [3000, hourMs, false],
    ])
  })
})

describe('cutting', () => {
  const cutting = (document: ReturnType<typeof computeOne>) =>
    timeline(document, ({ cut }) => cut).map(([start, , on]) => [start / second, on])
  const load = (ms: number, value: string) => sample(ms, 'LOAD', value, { key: 'Load' })
  const withSignal = inputsOf({ cutSignal: { key: 'LOAD', above: 20 } })

  it('A machine cuts while a key of type CUTTING is on', () => {
    const samples = ['true', 'off', 'ACTIVE', 'UNAVAILABLE', 'On', '1'].map((value, index) =>
      sample(index * second, 'CUTTING', value),
    )
    const expected = [[0, true], [1, false], [2, true], [3, false], [4, true], [5, false]] // prettier-ignore
    expect(cutting(computeOne(inputs, samples))).to.deep.equal(expected)
  })

  it('A machine cuts while the cut signal is above its limit; other texts are skipped, and UNAVAILABLE ends it', () => {
    const samples = ['20', '20.1', 'high', 'UNAVAILABLE', '99'].map((value, index) => load(index * second, value))
    expect(cutting(computeOne(withSignal, samples))).to.deep.equal([[0, false], [1, true], [3, false], [4, true]]) // prettier-ignore
  })

  it('The cut signal is ignored once a CUTTING key has a value', () => {
    const samples = [
      load(0, '50'),
      sample(1000, 'CUTTING', 'UNAVAILABLE'),
      sample(2000, 'CUTTING', 'false'),
      load(3000, '60'),
      sample(4000, 'CUTTING', 'UNAVAILABLE'),
      load(5000, '70'),
    ]
    expect(cutting(computeOne(withSignal, samples))).to.deep.equal([[0, true], [2, false]]) // prettier-ignore
  })
})
