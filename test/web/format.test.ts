import { assert } from 'chai'
import { createFormat } from '../../web/texts/format.ts'

describe('the formats of the application', () => {
  for (const language of ['en-US', 'de-DE'])
    it(`Negative numbers in ${language} have a minus sign, not a hyphen`, () => {
      const format = createFormat(language, 'Europe/Berlin')
      const written = [format.count(-3), format.number(-2.5, 1), format.percent(-0.25)]
      for (const text of written) assert.match(text, /^−\d/)
    })

  it('A value that rounds to zero has no minus sign', () => {
    for (const language of ['en-US', 'de-DE']) {
      const format = createFormat(language, 'Europe/Berlin')
      for (const text of [format.count(-0.4), format.number(-0.04, 1), format.percent(-0.0004)])
        assert.match(text, /^0/)
    }
  })
})
