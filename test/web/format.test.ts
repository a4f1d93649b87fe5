import { assert } from 'chai'
import { createFormat } from '../../web/texts/format.ts'

describe('the formats of the application', () => {
  for (const language of ['en-US', 'de-DE'])
    it(`Negative numbers in ${language} have a minus sign, not a hyphen`, () => {
      const format = createFormat(language, 'Europe/Berlin')
      const written = [format.count(-3), format.number(-2.5, 1), format.percent(-0.25)]
      for (const text of written) assert.match(text, /^−\d/)
    })
})
