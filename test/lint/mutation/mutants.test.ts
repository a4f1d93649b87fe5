import { expect } from 'chai'
import { mutantsOf } from '../../../lint/mutation/mutants.ts'
import { sample } from '../../../lint/mutation/sample.ts'

describe('mutants', () => {
  it('A mutant swaps an operator, negates a condition, or removes a statement, a returned value or a body', () => {
    const source = [
      `import { log } from '../log.ts'`,
      `type Sign = -1 | 1`,
      `export function f(a: number, isOn: boolean): number {`,
      `  if (a > 1 && !isOn) log(a)`,
      `  return isOn ? a + 2 : a`,
      `}`,
    ].join('\n')
    const changes = mutantsOf('f.ts', source).map(
      ({ start, end, replacement }) => `${source.slice(start, end).replace(/\s+/g, ' ')} -> ${replacement}`,
    )
    expect(changes).to.have.members([
      '{ if (a > 1 && !isOn) log(a) return isOn ? a + 2 : a } -> {}',
      'a > 1 && !isOn -> !(a > 1 && !isOn)',
      '&& -> ||',
      '> -> >=',
      '!isOn -> isOn',
      'log(a) -> ;',
      'return isOn ? a + 2 : a -> return undefined',
      'isOn -> !(isOn)',
      '+ -> -',
    ])
  })

  it('A source that cannot be parsed is an error', () => {
    expect(() => mutantsOf('f.ts', 'const = 1')).to.throw('f.ts cannot be parsed')
  })

  it('A sample depends only on the seed', () => {
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(sample(items, 10, 7)).to.deep.equal(sample(items, 10, 7))
    expect(sample(items, 10, 7)).not.to.deep.equal(sample(items, 10, 8))
    expect(new Set(sample(items, 200, 7)).size).to.equal(100)
  })
})
