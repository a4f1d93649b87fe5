import { assert } from 'chai'
import { useLintFindings } from '../support/lint-findings.ts'

describe('the lint rule for plain English', () => {
  const findingsIn = useLintFindings('plain-english')

  it('A comment or an error message with a rejected form is a finding', async () => {
    const sources = [
      '/** Whoever reads asks the log first. */\nexport const a = 1',
      "export const a = new Error('The document is not taken and somebody waits')",
    ]
    for (const source of sources) assert.isNotEmpty(await findingsIn(source), source)
  })

  it('Plain English is accepted', async () => {
    const source = "/** Reads the log from an offset. */\nexport const a = new Error('The document was rejected')"
    assert.deepEqual(await findingsIn(source), [])
  })
})
