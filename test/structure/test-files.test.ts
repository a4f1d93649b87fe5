import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

describe('the files of the tests', () => {
  it('stand in folders, from which `npm test` takes them', () => {
    const inFront = readdirSync(fileURLToPath(new URL('..', import.meta.url))).filter(name => name.endsWith('.test.ts'))
    expect(inFront).to.deep.equal([])
  })
})
