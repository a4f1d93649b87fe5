import { expect } from 'chai'
import { testsOf } from '../../../lint/mutation/tests-of.ts'

describe('tests of a mutated file', () => {
  it('The test at the mirrored path is first, then those with the fewest imports and folders between', () => {
    const product = ['shared/time/instant.ts', 'schema/check.ts']
    const direct = 'test/api/reports/request/parse.test.ts'
    const indirect = 'test/schema/check.test.ts'
    const mirrored = 'test/shared/time/instant.test.ts'
    const unrelated = 'test/lint/mutation/mutants.test.ts'
    const tracked = [indirect, direct, unrelated, mirrored, ...product]
    expect(testsOf('shared/time/instant.ts', tracked)).to.deep.equal([mirrored, direct, indirect])
    expect(testsOf('main.ts', tracked)).to.deep.equal([])
  })
})
