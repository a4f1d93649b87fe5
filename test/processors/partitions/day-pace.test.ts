import { expect } from 'chai'
import { DayPace } from '../../../processors/partitions/day-pace.ts'
import { machineDays } from '../../../processors/partitions/day-task.ts'

describe('pace of day aggregation', () => {
  it('Fast day aggregations double the machine days of a statement, up to four times the minimum', () => {
    const pace = new DayPace()
    expect(pace.machineDays).to.equal(machineDays)
    pace.record(pace.machineDays, 120)
    expect(pace.machineDays).to.equal(2 * machineDays)
    for (let i = 0; i < 10; i++) pace.record(pace.machineDays, 120)
    expect(pace.machineDays).to.equal(4 * machineDays)
  })

  it('One slow day aggregation resets the statement size to the minimum', () => {
    const pace = new DayPace()
    for (let i = 0; i < 4; i++) pace.record(pace.machineDays, 120)
    pace.record(pace.machineDays, 1_500)
    expect(pace.machineDays).to.equal(machineDays)
  })

  it('Small statements and statements of medium duration do not change the statement size', () => {
    const pace = new DayPace()
    pace.record(machineDays / 2, 50)
    pace.record(machineDays, 700)
    expect(pace.machineDays).to.equal(machineDays)
  })
})
