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

  it('A property test at the mirrored path is before a test that imports the file by more files', () => {
    const [property, unit] = [
      'test/processors/timeline/compute-hour.properties.test.ts',
      'test/processors/timeline/state.test.ts',
    ]
    const product = ['processors/timeline/compute-hour.ts', 'test/processors/timeline/support.ts']
    expect(testsOf('processors/timeline/compute-hour.ts', [unit, property, ...product])).to.deep.equal([property, unit])
  })

  it('A test that imports the file by a helper in its folder is as near as one without the helper', () => {
    const product = ['processors/partitions/partition.ts', 'processors/partitions/day-documents.ts']
    const helper = 'test/processors/partitions/day-world.ts'
    const [byHelper, direct] = [
      'test/processors/partitions/days.test.ts',
      'test/processors/partitions/live-hours.test.ts',
    ]
    const found = testsOf('processors/partitions/day-documents.ts', [direct, byHelper, helper, ...product])
    expect(found).to.deep.equal([byHelper, direct])
  })
})
