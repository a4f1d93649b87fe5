import { expect } from 'chai'
import { createCompanyViews } from '../../../../api/reports/company/company-view.ts'
import type { CompanySettings } from '../../../../schema/records/company.ts'
import { readAs } from '../../../support/read-as.ts'
import { calendarOf, TestPlant } from '../plant-support.ts'

describe('CompanyViews', () => {
  it('The view of a company has the current microstop thresholds of its machines', () => {
    const plant = new TestPlant()
    const machine = plant.machine(1, { microstopMs: 60_000 })
    plant.machine(2, { microstopMs: 0 })
    const views = createCompanyViews({ records: plant.records, calendarOf, clock: Date.now })
    const microstops = () => [...(views.of(plant.company.id)?.microstops ?? [])]
    expect(microstops()).to.deep.equal([[1, 60_000]])
    const before = views.of(plant.company.id)?.microstops
    plant.machine(2, { microstopMs: 5000 })
    expect(microstops()).to.have.deep.members([
      [1, 60_000],
      [2, 5000],
    ])
    plant.put('machine', { ...machine, microstopMs: 0 })
    expect(microstops()).to.deep.equal([[2, 5000]])
    const { settings } = plant.company
    plant.put('company', { ...plant.company, settings: { ...settings, microstopMs: 7000 } })
    plant.machine(3, { microstopMs: null })
    expect(microstops()).to.have.deep.members([
      [2, 5000],
      [3, 7000],
    ])
    plant.put('company', { ...plant.company, settings: { ...settings, microstopMs: 8000 } })
    expect(microstops()).to.have.deep.members([
      [2, 5000],
      [3, 8000],
    ])
    expect([...(before ?? [])], 'a plan goes on with what it was made of').to.deep.equal([[1, 60_000]])
    const { microstopMs: _, ...older } = settings
    plant.put('company', { ...plant.company, settings: readAs<CompanySettings>(older) })
    expect(microstops(), 'a record without the setting').to.deep.equal([[2, 5000]])
    views.stop()
  })
})
