import { expect } from 'chai'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import type { Records } from '../../../processors/records/records.ts'
import { hour } from '../registrar/plant.ts'

const calendarOf = shareCalendars(createCalendar)

/**
 * Expects that job operations in memory are the current ones, and that inputs from records of which only recent ones are in memory equal those
 * of all, as far as they should.
 */
export function expectSameInputs(all: Records, bounded: Records): void {
  for (const { id } of all.companies()) expectSameOperations(all, bounded, id)
  for (const machine of all.allMachines()) {
    const fromMs = bounded.inMemoryFromMs(machine)
    if (fromMs === Infinity) continue
    const span = { fromMs: Math.max(0, fromMs), toMs: Date.parse(hour(500)) }
    const [expected, actual] = [all, bounded].map(records => machineInputs(records, machine, calendarOf, span))
    expect({ ...actual, calendar: null }).to.deep.equal({ ...expected, calendar: null })
  }
}

function expectSameOperations(all: Records, bounded: Records, companyId: string): void {
  const recent = bounded.list('jobOperation', companyId)
  for (const operation of recent) {
    expect(all.get('jobOperation', companyId, operation.id)).to.deep.equal(operation)
    expect(bounded.jobOperations(companyId).byRef(operation.ref)).to.equal(operation)
    expect(bounded.jobOperation(companyId, operation)).to.equal(operation)
  }
  const every = all.list('jobOperation', companyId)
  if (bounded.hasAllOperations) expect(recent).to.have.length(every.length)
  const { hasMultipliers } = bounded.jobOperations(companyId)
  if (every.some(({ partCountMultiplier }) => partCountMultiplier === 2)) expect(hasMultipliers).to.equal(true)
}
