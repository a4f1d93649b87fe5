import { expect } from 'chai'
import { defaultCompanySettings } from '../../../../schema/records/company.ts'
import { Plant } from '../plant.ts'

describe('settings.put', () => {
  it('settings.put resets omitted settings to their defaults and keeps the company name', () => {
    const plant = new Plant()
    plant.result('settings.put', { companyName: 'Acme', autoProduction: true })
    const settings = plant.result('settings.put', {
      timeZone: 'Europe/Berlin',
      thresholds: { oeeWarning: 0.8 },
    })
    expect(settings).to.deep.equal({
      ...defaultCompanySettings,
      companyName: 'Acme',
      timeZone: 'Europe/Berlin',
      thresholds: { ...defaultCompanySettings.thresholds, oeeWarning: 0.8 },
    })
    expect(plant.records.company(plant.companyId)?.settings).to.deep.equal(settings)
  })

  it('settings.put lists every invalid field', () => {
    expect(
      new Plant().faults('settings.put', {
        companyName: ' ',
        timeZone: 'Mars/Phobos',
        startOfDay: '24:00',
        firstDayOfWeek: 0,
        scheduledBy: 'x',
        autoProduction: 'yes',
        operatorMaxHours: 0,
        maxSampleAgeDays: 1.5,
        thresholds: { oeeFailure: -1 },
      }),
    ).to.have.members([
      'companyName InvalidDataItem',
      'timeZone InvalidDataItem',
      'startOfDay InvalidDate',
      'firstDayOfWeek OutOfRange',
      'scheduledBy InvalidEnum',
      'autoProduction InvalidType',
      'operatorMaxHours OutOfRange',
      'maxSampleAgeDays InvalidType',
      'thresholds.oeeFailure OutOfRange',
    ])
    expect(new Plant().faults('settings.put', null)).to.deep.equal(['body InvalidType'])
    expect(new Plant().faults('settings.put', { timeZone: '+01:00' })).to.deep.equal(['timeZone InvalidDataItem'])
  })
})

const early = { name: 'Early', days: [1, 2, 3, 4, 5], start: '06:00', end: '14:00' }
const late = { name: 'Late', days: [1, 2, 3, 4, 5], start: '14:00', end: '22:00', optional: true }

describe('schedule.put', () => {
  it('schedule.put creates ids and refs, and keeps them when the schedule is sent again with or without them', () => {
    const plant = new Plant()
    const sent = { id: 'week', name: 'Week', versions: [{ effectiveFrom: null, shifts: [early, late] }] }
    const made = plant.result('schedule.put', sent)
    const [first, second] = made.versions[0]?.shifts ?? []
    expect([first?.ref, second?.ref, first?.optional, second?.optional]).to.deep.equal([1, 2, false, true])
    expect(first?.id).to.not.equal(second?.id)
    expect(plant.do('schedule.put', sent).changes).to.deep.equal([])
    expect(plant.do('schedule.put', made).changes).to.deep.equal([])
    expect(plant.records.get('schedule', plant.companyId, 'week')).to.deep.equal(made)
  })

  it('Shifts of the same name in other versions and exceptions get the same ref', () => {
    const plant = new Plant()
    const { versions, exceptions } = plant.result('schedule.put', {
      id: 'week',
      name: 'Week',
      versions: [
        { effectiveFrom: '2026-05-01', shifts: [{ ...early, start: '07:00' }] },
        { shifts: [{ ...early, id: 'E' }] },
      ],
      exceptions: [
        { date: '2026-12-24', shifts: [{ name: 'Early', start: '06:00', end: '12:00' }] },
        { date: '2026-12-25' },
      ],
    })
    expect(versions.map(({ effectiveFrom }) => effectiveFrom)).to.deep.equal([null, '2026-05-01'])
    const shifts = [...versions, ...exceptions].flatMap(({ shifts }) => shifts.map(({ id, ref }) => `${id} ${ref}`))
    expect(shifts).to.deep.equal(['E 1', 'E 1', 'E 1'])
    expect(exceptions[1]).to.deep.equal({ date: '2026-12-25', shifts: [] })
  })

  it('A shift without an id gets the first id of its name in the request', () => {
    const { exceptions } = new Plant().result('schedule.put', {
      id: 'week',
      name: 'Week',
      versions: [{ shifts: [{ ...early, id: 'E' }] }, { effectiveFrom: '2026-05-01', shifts: [{ ...early, id: 'F' }] }],
      exceptions: [{ date: '2026-12-24', shifts: [{ name: 'Early', start: '06:00', end: '12:00' }] }],
    })
    expect(exceptions[0]?.shifts.map(({ id }) => id)).to.deep.equal(['E'])
  })

  it('The ref of a removed shift is never reused', () => {
    const plant = new Plant()
    const put = (id: string) =>
      plant.result('schedule.put', {
        id: 'week',
        name: 'W',
        versions: [{ shifts: [{ ...early, id }] }],
      })
    put('a')
    put('b')
    expect(put('a').versions[0]?.shifts[0]?.ref).to.equal(3)
    plant.result('schedule.delete', { id: 'week' })
    expect(put('a').versions[0]?.shifts[0]?.ref).to.equal(4)
  })

  it('schedule.put lists every invalid field', () => {
    const faults = new Plant().faults('schedule.put', {
      id: 'week',
      name: 'Week',
      versions: [{ effectiveFrom: '2026-02-30', shifts: [{ ...early, start: '6:00' }, late, { ...late, days: [8] }] }],
    })
    expect(faults).to.include.members([
      'versions[0].effectiveFrom InvalidDate',
      'versions[0].shifts[0].start InvalidDate',
      'versions[0].shifts[2].days[0] OutOfRange',
    ])
    expect(new Plant().faults('schedule.put', { id: 'w', versions: 1 })).to.have.members([
      'name Required',
      'versions InvalidType',
    ])
  })
})

describe('schedule.delete', () => {
  it('A schedule that a machine uses cannot be deleted', () => {
    const plant = new Plant()
    plant.result('schedule.put', { id: 'week', name: 'Week' })
    const machine = plant.machine({ scheduleId: 'week', name: 'M' })
    const refused = { status: 409, code: 'InUse', message: 'In use by 1 machine: M' }
    expect(plant.refusal('schedule.delete', { id: 'week' })).to.include(refused)
    plant.result('machine.put', { id: machine, name: 'M' })
    expect(plant.result('schedule.delete', { id: 'week' })).to.equal(null)
    expect(plant.refusal('schedule.delete', { id: 'week' }).status).to.equal(404)
  })
})
