import { expect } from 'chai'
import { describeExamples } from './examples.ts'

const examples = describeExamples('docs/api-guide.md')

describe('docs/api-guide.md', () => {
  it('shows an answer of each kind', () => {
    expect(examples.filter(({ answer }) => answer !== undefined)).to.have.lengthOf(8)
  })
})
