import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

describe('test files', () => {
  it('Every test file is in a folder that `npm test` reads', () => {
    const inFront = readdirSync(fileURLToPath(new URL('..', import.meta.url))).filter(name => name.endsWith('.test.ts'))
    expect(inFront).to.deep.equal([])
  })
})
