import { assert } from 'chai'
import { skewText } from '../../web/screens/connect/skew-text.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'

describe('skew of a clock in the application', () => {
  const english = { t: en, format: createFormat('en-US', 'UTC') }
  const german = { t: de, format: createFormat('de-DE', 'UTC') }

  it('A clock that differs by more than 5 s is ahead or behind; another one is right', () => {
    assert.deepEqual(
      [null, 0, 5_000, -5_000, 5_001, -61_000, 3_600_000].map(skewMs => skewText(skewMs, english)),
      [null, null, null, null, '5 s ahead', '1 min 01 s behind', '1 h 00 min ahead'],
    )
    assert.deepEqual(
      [61_000, -61_000].map(skewMs => skewText(skewMs, german)),
      ['geht 1 min 01 s vor', 'geht 1 min 01 s nach'],
    )
  })
})
