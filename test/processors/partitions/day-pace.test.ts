import { expect } from 'chai'
import { DayPace } from '../../../processors/partitions/day-pace.ts'
import { machineDays } from '../../../processors/partitions/day-task.ts'

describe('the pace of day documents', () => {
  it('has statements of more days while they take little, up to a bound', () => {
    const pace = new DayPace()
    expect(pace.machineDays).to.equal(machineDays)
    pace.made(pace.machineDays, 120)
    expect(pace.machineDays).to.equal(2 * machineDays)
    for (let i = 0; i < 10; i++) pace.made(pace.machineDays, 120)
    expect(pace.machineDays).to.equal(4 * machineDays)
  })

  it('goes back to the least at once where days take long', () => {
    const pace = new DayPace()
    for (let i = 0; i < 4; i++) pace.made(pace.machineDays, 120)
    pace.made(pace.machineDays, 1_500)
    expect(pace.machineDays).to.equal(machineDays)
  })

  it('learns nothing from few days, and keeps to what takes neither little nor long', () => {
    const pace = new DayPace()
    pace.made(machineDays / 2, 50)
    pace.made(machineDays, 700)
    expect(pace.machineDays).to.equal(machineDays)
  })
})
