import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

describe('docs/decisions', () => {
  const folder = new URL('../../docs/decisions/', import.meta.url)
  const pages = readdirSync(folder).filter(name => name !== 'README.md')

  it('Decisions have consecutive numbers from 1', () => {
    const numbers = pages.map(name => Number(name.slice(0, 3))).toSorted((a, b) => a - b)
    expect(numbers).to.deep.equal(numbers.map((_, i) => i + 1))
  })

  it('The index of decisions lists each decision once, by number and file', () => {
    const index = readFileSync(new URL('README.md', folder), 'utf8')
    const listed = [...index.matchAll(/^- \[(\d{3})\]\((\S+)\)/gm)]
    expect(listed.map(([, , file]) => file)).to.have.members(pages)
    for (const [, number, file] of listed) expect(file?.slice(0, 3)).to.equal(number)
  })
})
