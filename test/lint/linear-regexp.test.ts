import { assert } from 'chai'
import { useLintFindings } from '../support/lint-findings.ts'

describe('the lint rule for regular expressions', () => {
  const findingsIn = useLintFindings('linear-regexp')

  it('A regular expression that takes more than linear time is rejected', async () => {
    for (const bad of [
      'export const a = /^bearer +(.*\\S)/i',
      'export const a = /\\s*%$/',
      'export const a: RegExp = /(a+)+$/u',
      "export const a = new RegExp('(x|xy?)*$')",
    ])
      assert.lengthOf(await findingsIn(bad), 1, bad)
  })

  it('A regular expression that is built at run time is rejected', async () => {
    assert.lengthOf(await findingsIn('export const a = (text: string) => new RegExp(text)'), 1)
  })

  it('A regular expression whose time cannot be decided is rejected', async () => {
    assert.lengthOf(await findingsIn('export const a = /(?<!\\/)\\/+$/'), 1)
  })

  it('A linear regular expression is accepted', async () => {
    const source = 'export const a = [/^[\\da-f]{8}$/, /(?:^|;)x=([^;]*)/g, new RegExp("^a+$", "u")]'
    assert.deepEqual(await findingsIn(source), [])
  })
})
