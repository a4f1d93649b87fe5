import { expect } from 'chai'
import { describeExamples } from './examples.ts'

const examples = describeExamples('docs/api-guide.md')

describe('docs/api-guide.md', () => {
  it('The API guide shows eight example responses', () => {
    expect(examples.filter(({ answer }) => answer !== undefined)).to.have.lengthOf(8)
  })
})
