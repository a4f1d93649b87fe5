import type { AlertWhen } from '../../schema/records/alert-rule.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { dayNumber, weekday } from '../../shared/time/local-date.ts'
import type { Calendar } from '../calendar/types.ts'
import { isScheduled } from '../timeline/dimensions.ts'
import type { Records } from './records.ts'
import { runSpans } from './spans.ts'

interface WhenSources {
  readonly records: Records
  readonly company: CompanyRecord
  /** Calendar of the machine's schedule. */
  readonly calendar: Pick<Calendar, 'spans' | 'shopDate'>
}

/**
 * Returns the test whether a recent instant of a machine, UTC ms, is inside the time of a rule, by the records in
 * memory. Evaluations read the same from documents, which do not contain the instant of a command yet.
 */
export function createWhenTest(
  machine: MachineRecord,
  { records, company, calendar }: WhenSources,
  atMs: number,
): (when: AlertWhen) => boolean {
  const day = weekday(dayNumber(calendar.shopDate(atMs)))
  const span = calendar.spans(atMs, atMs + 1)[0]
  const isRunning = runSpans(records.runsOf(machine.id)).some(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)
  const scheduledBy = machine.scheduledBy ?? company.settings.scheduledBy
  const scheduled = span !== undefined && isScheduled(span, isRunning, scheduledBy)
  const shift = findShiftId(span?.shift ?? 0, machine, records)
  return ({ days, scheduled: wanted, shifts }) =>
    (days.length === 0 || days.includes(day)) &&
    (wanted === null || wanted === scheduled) &&
    (shifts.length === 0 || (shift !== null && shifts.includes(shift)))
}

function findShiftId(ref: number, machine: MachineRecord, records: Records): string | null {
  const schedule = records.scheduleOf(machine)
  const shifts = [...(schedule?.versions ?? []), ...(schedule?.exceptions ?? [])].flatMap(({ shifts }) => shifts)
  return shifts.find(shift => shift.ref === ref)?.id ?? null
}
