import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { deadLetterReasons } from '../../schema/requests/dead-letters.ts'
import { describeExamples } from './examples.ts'

const file = 'docs/connecting-machines.md'
const examples = describeExamples(file)

describe(file, () => {
  it('The guide to connecting machines shows two example responses', () => {
    expect(examples.filter(({ answer }) => answer !== undefined)).to.have.lengthOf(2)
  })

  it('The guide explains every reason of a dead letter', () => {
    const guide = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    const explained = [...guide.matchAll(/^\| `(\w+)` /gm)].map(([, reason]) => reason)
    expect(explained).to.include.members([...deadLetterReasons])
  })
})
