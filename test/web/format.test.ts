import { assert } from 'chai'
import { createFormat } from '../../web/texts/format.ts'

describe('the formats of the application', () => {
  for (const language of ['en-US', 'de-DE'])
    it(`write negative numbers with a minus sign, not a hyphen: ${language}`, () => {
      const format = createFormat(language, 'Europe/Berlin')
      const written = [format.count(-3), format.number(-2.5, 1), format.percent(-0.25)]
      for (const text of written) assert.match(text, /^−\d/)
    })
})
