import { assert } from 'chai'
import { unknownPeriodIn } from '../../web/time/period.ts'
import { findOptions } from '../../web/ui/find-options.ts'

describe('choices by a search', () => {
  const options = ['Old Lathe 1', 'Lathe 2', 'Lathe 10', 'Saw'].map(title => ({ title }))
  const found = (search: string) => findOptions(options, search).map(({ title }) => title)

  it('A search finds the options that contain all of its words, those that begin with it first', () => {
    assert.deepEqual(found(''), ['Old Lathe 1', 'Lathe 2', 'Lathe 10', 'Saw'])
    assert.deepEqual(found('  LATHE '), ['Lathe 2', 'Lathe 10', 'Old Lathe 1'])
    assert.deepEqual(found('1 lathe'), ['Old Lathe 1', 'Lathe 10'])
    assert.deepEqual(found('x'), [])
  })

  it('Only a period that an address names and that does not exist is unknown', () => {
    assert.isNull(unknownPeriodIn(new URLSearchParams('from=2026-03-01')))
    assert.isNull(unknownPeriodIn(new URLSearchParams('period=lastWeek')))
    assert.equal(unknownPeriodIn(new URLSearchParams('period=last_week')), 'last_week')
  })
})
