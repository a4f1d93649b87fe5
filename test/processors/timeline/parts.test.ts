import { expect } from 'chai'
import { hourMs } from '../../../shared/time/units.ts'
import type { Sample } from '../../../schema/sample.ts'
import type { StateSettings } from '../../../schema/records/machine.ts'
import {
  compute,
  computeOne,
  execution,
  inputsOf,
  minute,
  parts,
  partsOf,
  sample,
  second,
  sum,
  throughText,
} from './support.ts'

/** Returns the parts that each value of one counter adds, including the first value. */
function additions(settings: Partial<StateSettings>, ...values: readonly (number | string)[]): number[] {
  const document = computeOne(
    inputsOf(settings),
    values.map((value, index) => parts(index * second, value)),
  )
  return values.map((_, index) => sum(document.parts.filter(({ at }) => at === index * second).map(part => part.parts)))
}

describe('parts by `counter`', () => {
  const table: readonly (readonly [string, Partial<StateSettings>, readonly (number | string)[], readonly number[]])[] =
    [
      ['the first value is a baseline', {}, [500, 501, 501, 504], [0, 1, 0, 3]],
      [
        'UNAVAILABLE, other strings and negative numbers are skipped',
        {},
        [5, 'UNAVAILABLE', 'x', -3, 8],
        [0, 0, 0, 0, 3],
      ],
      ['the first number after another value is a baseline', {}, ['UNAVAILABLE', 5, 6], [0, 0, 1]],
      ['a reset adds its value', {}, [500, 3, 4], [0, 3, 1]],
      ['a reset to more than maxResetParts adds nothing', {}, [500, 11, 12], [0, 0, 1]],
      ['a correction by an operator adds nothing', {}, [901, 900, 8, 7], [0, 0, 8, 0]],
      ['half the last value is still a reset', {}, [8, 4], [0, 4]],
      [
        'an addition above maxPartJump adds nothing and is the new baseline',
        { maxPartJump: 5 },
        [1, 6, 12, 13],
        [0, 5, 0, 1],
      ],
      ['a reset above maxPartJump adds nothing', { maxPartJump: 2, maxResetParts: 10 }, [100, 3, 4], [0, 0, 1]],
      ['the parts of a glitch to 0 are not lost', {}, [500, 0, 502], [0, 0, 2]],
      ['the parts that a glitch added are subtracted', {}, [500, 5, 500], [0, 5, -5]],
      ['a glitch is one value only', {}, [500, 5, 6, 500], [0, 5, 1, 494]],
      ['a drop from at most maxResetParts is not a glitch', {}, [10, 2, 12], [0, 2, 10]],
      ['a drop is not a glitch if the next value stays below', {}, [500, 5, 499], [0, 5, 494]],
      ['maxPartJump also limits the correction of a glitch', { maxPartJump: 50 }, [500, 0, 551], [0, 0, 0]],
      ['repeated values of a glitch change nothing', {}, [900, 0, 0, 901, 901, 5, 5, 902], [0, 0, 0, 1, 0, 5, 0, -4]],
      ['a spike is ignored', { maxPartJump: 50 }, [20, 21, 800, 22, 23], [0, 1, 0, 1, 1]],
      ['a rise of at most maxPartJump is not a spike', {}, [20, 21, 800, 22, 23], [0, 1, 779, 0, 1]],
      ['a repeated spike is ignored', {}, [20, 21, 5000, 'UNAVAILABLE', 5000, 22, 23], [0, 1, 0, 0, 0, 1, 1]],
      [
        'a spike that returns immediately is ignored',
        { maxPartJump: 50 },
        [20, 21, 800, 22, 800, 23],
        [0, 1, 0, 1, 0, 1],
      ],
      ['a spike may end at the value before it', { maxPartJump: 50 }, [20, 800, 20, 70], [0, 0, 0, 50]],
      [
        'a spike ends at most maxPartJump above the value before it',
        { maxPartJump: 50 },
        [20, 800, 70, 71],
        [0, 0, 50, 1],
      ],
      [
        'a rise is not a spike if the next value is more than maxPartJump higher',
        { maxPartJump: 50 },
        [20, 800, 71, 72],
        [0, 0, 0, 1],
      ],
      [
        'a rise is not a spike if the next value is lower than before it',
        { maxPartJump: 50 },
        [20, 800, 19, 20],
        [0, 0, 0, 1],
      ],
      ['a spike is one value only', { maxPartJump: 50 }, [20, 800, 900, 21], [0, 0, 0, 0]],
      ['the first value is not a spike', {}, [5000, 22, 23], [0, 0, 1]],
      [
        'after a dip and a spike, parts count from the value before the dip plus the parts of the dip',
        {},
        [900, 5, 5000, 906, 907],
        [0, 5, 0, 1, 1],
      ],
      [
        'after a dip, a spike does not end below the value before the dip plus the parts of the dip',
        {},
        [900, 5, 5000, 904],
        [0, 5, 0, 0],
      ],
      ['a reset above maxPartJump may be a spike', { maxPartJump: 2 }, [100, 3, 2, 101], [0, 0, 2, 0]],
      ['plain decimals are numbers', {}, ['1e1', '+11.0', '12.5'], [0, 1, 1.5]],
    ]
  for (const [name, settings, values, expected] of table) {
    it(`partCounter counter: ${name}`, () => expect(additions(settings, ...values)).to.deep.equal(expected))
  }

  it('With partCounter counter, every sample of a millisecond counts, in order', () => {
    const document = computeOne(inputsOf(), [parts(0, 10), parts(5.2, 3), parts(5.1, 12)])
    expect(partsOf(document)).to.deep.equal([[5, 5]])
  })

  it('With partCounter counter, each key is counted separately, without subtype or with ALL', () => {
    const document = computeOne(inputsOf(), [
      parts(0, 10, { key: 'a' }),
      parts(0, 100, { key: 'b', subtype: 'ALL' }),
      parts(1000, 11, { key: 'a' }),
      parts(1000, 102, { key: 'b' }),
      parts(0, 0, { key: 'c', subtype: 'BAD' }),
      parts(1000, 50, { key: 'c', subtype: 'BAD' }),
    ])
    expect(partsOf(document)).to.deep.equal([[1000, 3]])
  })

  it('With partCounter counter, only partCountKey counts if it is set, of any type and subtype', () => {
    const document = computeOne(inputsOf({ partCountKey: 'MacroVar' }), [
      parts(0, 1),
      parts(1000, 2),
      { ...parts(0, 7, { key: 'macro_var', subtype: 'COMPLETE' }), type: 'VARIABLE' },
      { ...parts(1000, 9, { key: 'MACROVAR' }), type: 'OTHER' },
    ])
    expect(partsOf(document)).to.deep.equal([[1000, 2]])
  })

  it('With partCounter counter, the value and a possible glitch carry over to the next hour', () => {
    const samples = [parts(0, 500), parts(hourMs - 1, 4), parts(hourMs, 501)]
    const documents = compute(inputsOf(), samples, { hours: 2, carry: throughText })
    expect(documents.map(partsOf)).to.deep.equal([[[hourMs - 1, 4]], [[0, -3]]])
  })

  it('With partCounter counter, a spike across hours is ignored', () => {
    const samples = [parts(0, 20), parts(hourMs - 1, 5000), parts(hourMs, 5000), parts(2 * hourMs, 22)]
    const documents = compute(inputsOf(), samples, { hours: 3, carry: throughText })
    expect(documents.map(partsOf)).to.deep.equal([[], [], [[0, 2]]])
  })
})

describe('parts by `increment`', () => {
  const increment = { partCounter: 'increment' } as const
  const table: readonly (readonly [string, Partial<StateSettings>, readonly (number | string)[], readonly number[]])[] =
    [
      ['each value adds itself, also if repeated', {}, [1, 1, 1, 4, 2], [1, 1, 1, 4, 2]],
      ['fractions are truncated', {}, [2.9, '0.5', '1e1'], [2, 0, 10]],
      ['a value that is not a count is ignored', {}, [1, 'UNAVAILABLE', 'x', -3, 0], [1, 0, 0, 0, 0]],
      ['a value above maxPartJump adds nothing', { maxPartJump: 5 }, [5, 5.5, 6], [5, 0, 0]],
    ]
  for (const [name, settings, values, expected] of table) {
    it(`partCounter increment: ${name}`, () =>
      expect(additions({ ...increment, ...settings }, ...values)).to.deep.equal(expected))
  }

  it('With partCounter increment, the same keys count as by counter', () => {
    const samples = [
      parts(0, 1, { key: 'a' }),
      parts(0, 2, { key: 'b', subtype: 'ALL' }),
      parts(0, 4, { key: 'c', subtype: 'BAD' }),
      sample(0, 'VARIABLE', '8', { key: 'v_1' }),
    ]
    expect(partsOf(computeOne(inputsOf(increment), samples))).to.deep.equal([[0, 3]])
    expect(partsOf(computeOne(inputsOf({ ...increment, partCountKey: 'C' }), samples))).to.deep.equal([[0, 4]])
    expect(partsOf(computeOne(inputsOf({ ...increment, partCountKey: 'V1' }), samples))).to.deep.equal([[0, 8]])
  })

  it('With partCounter increment, nothing carries over to the next hour', () => {
    const documents = compute(inputsOf(increment), [parts(hourMs - 1, 2), parts(hourMs, 2)], { hours: 2 })
    expect(documents.map(partsOf)).to.deep.equal([[[hourMs - 1, 2]], [[0, 2]]])
    expect(documents[0]?.stateOut).not.to.contain('counters')
  })
})

/** Returns the parts of a series of EXECUTION values, one per second. */
function executed(settings: Partial<StateSettings>, ...values: readonly string[]): number[] {
  const document = computeOne(
    inputsOf(settings),
    values.map((value, index) => execution(index * second, value)),
  )
  return document.parts.map(({ at }) => at / second)
}

describe('parts by `cycle`', () => {
  const cycle = { partCounter: 'cycle' } as const
  const table: readonly (readonly [string, readonly string[], readonly number[]])[] = [
    ['the end of a program adds one part', ['ACTIVE', 'READY', 'ACTIVE', 'STOPPED'], [1, 3]],
    [
      'a pause of any kind adds none',
      ['ACTIVE', 'FEED_HOLD', 'Interrupted', 'OPTIONAL_STOP', 'PROGRAM_STOPPED', 'WAIT', 'READY'],
      [6],
    ],
    ['a pause outside a program adds none', ['READY', 'FEED_HOLD', 'READY'], []],
    ['a program that is stopped in a pause adds one', ['ACTIVE', 'FEED_HOLD', 'STOPPED'], [2]],
    ['a program adds none if the machine becomes UNAVAILABLE', ['ACTIVE', 'UNAVAILABLE', 'READY'], []],
  ]
  for (const [name, values, expected] of table) {
    it(`partCounter cycle: ${name}`, () => expect(executed(cycle, ...values)).to.deep.equal(expected))
  }

  it('With partCounter cycle, a part counts when the last path ends its program', () => {
    const document = computeOne(inputsOf(cycle), [
      execution(0, 'ACTIVE', 'path1'),
      execution(0, 'ACTIVE', 'path2'),
      execution(1000, 'READY', 'path1'),
      execution(2000, 'READY', 'path2'),
      execution(3000, 'ACTIVE', 'path1'),
      execution(3000.5, 'READY', 'path1'),
    ])
    expect(partsOf(document)).to.deep.equal([[2000, 1], [3000, 1]]) // prettier-ignore
  })

  it('With partCounter cycle, no part counts if the machine is UNAVAILABLE at the end of the millisecond', () => {
    const document = computeOne(inputsOf(cycle), [
      execution(0, 'ACTIVE'),
      execution(1, 'READY'),
      execution(1.5, 'UNAVAILABLE'),
    ])
    expect(partsOf(document)).to.deep.equal([])
  })

  it('With partCounter cycle, only partCountKey counts if it is set', () => {
    const document = computeOne(inputsOf({ ...cycle, partCountKey: 'PATH1' }), [
      execution(0, 'ACTIVE', 'path1'),
      execution(0, 'ACTIVE', 'path2'),
      execution(1000, 'READY', 'path1'),
      execution(2000, 'READY', 'path2'),
    ])
    expect(partsOf(document)).to.deep.equal([[1000, 1]])
  })

  it('With partCounter cycle, a program that ends in the next hour counts one part', () => {
    const samples = [execution(hourMs - 2, 'ACTIVE'), execution(hourMs - 1, 'FEED_HOLD'), execution(hourMs, 'READY')]
    const documents = compute(inputsOf(cycle), samples, { hours: 2, carry: throughText })
    expect(documents.map(partsOf)).to.deep.equal([[], [[0, 1]]])
  })

  it('With partCounter cycle, staleness ends a program without a part; a program that resumes and ends counts one', () => {
    const stale = { ...cycle, staleAfterMs: minute }
    const paused = [execution(0, 'ACTIVE'), execution(1, 'FEED_HOLD'), execution(5 * minute, 'READY')]
    expect(partsOf(computeOne(inputsOf(stale), paused))).to.deep.equal([])
    const heldAndEnded = [execution(0, 'ACTIVE'), execution(5 * minute, 'FEED_HOLD'), execution(5 * minute, 'READY')]
    expect(partsOf(computeOne(inputsOf(stale), heldAndEnded))).to.deep.equal([])
    const ended = [execution(0, 'ACTIVE'), execution(5 * minute, 'READY')]
    expect(partsOf(computeOne(inputsOf(stale), ended))).to.deep.equal([])
    const resumed = [execution(0, 'ACTIVE'), parts(5 * minute, 0), execution(5 * minute + second, 'READY')]
    expect(partsOf(computeOne(inputsOf(stale), resumed))).to.deep.equal([[5 * minute + second, 1]])
  })

  describe('after staleness', () => {
    const stale = inputsOf({ ...cycle, staleAfterMs: minute })
    const backMs = 50 * minute
    const made = (...samples: Sample[]) => partsOf(computeOne(stale, [execution(0, 'WAIT', 'path2'), ...samples]))

    it('With partCounter cycle, a path at WAIT is in its program from the end of staleness, so the end of another path adds no part', () => {
      const [started, ended] = [execution(backMs + 0.2, 'ACTIVE'), execution(backMs + 0.8, 'READY')]
      expect(made(started, ended)).to.deep.equal([])
      const endedToo = execution(backMs + second, 'READY', 'path2')
      expect(made(started, ended, endedToo)).to.deep.equal([[backMs + second, 1]])
    })

    it('With partCounter cycle, a path with samples in the millisecond after staleness is in its program only by these samples', () => {
      const [started, ended] = [execution(backMs + 0.2, 'ACTIVE'), execution(backMs + 0.8, 'READY')]
      expect(made(started, ended, execution(backMs + 0.9, 'READY', 'path2'))).to.deep.equal([[backMs, 1]])
      const restarted = [execution(backMs + 0.2, 'ACTIVE', 'path2'), execution(backMs + 0.8, 'READY', 'path2')]
      expect(made(...restarted)).to.deep.equal([[backMs, 1]])
    })
  })
})

describe('parts by `program`', () => {
  const program = { partCounter: 'program' } as const
  const table: readonly (readonly [string, readonly string[], readonly number[]])[] = [
    [
      'each change to PROGRAM_COMPLETED adds one part',
      ['ACTIVE', 'Program_Completed', 'READY', 'PROGRAM_COMPLETED'],
      [1, 3],
    ],
    ['a repeated value adds none', ['READY', 'PROGRAM_COMPLETED', 'PROGRAM_COMPLETED'], [1]],
    [
      'a change from UNAVAILABLE adds none',
      ['UNAVAILABLE', 'PROGRAM_COMPLETED', 'UNAVAILABLE', 'PROGRAM_COMPLETED'],
      [],
    ],
    ['the first value adds none', ['PROGRAM_COMPLETED'], []],
  ]
  for (const [name, values, expected] of table) {
    it(`partCounter program: ${name}`, () => expect(executed(program, ...values)).to.deep.equal(expected))
  }
})

describe('parts by `none`', () => {
  it('With partCounter none, no parts count', () => {
    const samples = [parts(0, 1), parts(1000, 2), execution(0, 'ACTIVE'), execution(1000, 'PROGRAM_COMPLETED')]
    expect(partsOf(computeOne(inputsOf({ partCounter: 'none' }), samples))).to.deep.equal([])
  })
})
