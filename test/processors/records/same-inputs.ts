import { expect } from 'chai'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import type { Records } from '../../../processors/records/records.ts'
import { hour } from '../registrar/plant.ts'

const calendarOf = shareCalendars(createCalendar)

/** Expects that inputs from records of which only recent ones are in memory equal those of all, as far as they should. */
export function expectSameInputs(all: Records, bounded: Records): void {
  for (const machine of all.allMachines()) {
    const fromMs = bounded.inMemoryFromMs(machine)
    if (fromMs === Infinity) continue
    const span = { fromMs: Math.max(0, fromMs), toMs: Date.parse(hour(500)) }
    const [expected, actual] = [all, bounded].map(records => machineInputs(records, machine, calendarOf, span))
    expect({ ...actual, calendar: null }).to.deep.equal({ ...expected, calendar: null })
  }
}
