import type { ScheduleRecord, Shift } from '../../../schema/records/schedule.ts'

const everyDay = [1, 2, 3, 4, 5, 6, 7]

/** A shift on every day; `times` has the form `22:00-06:00`. */
export function aShift(ref: number, times: string, changes: Partial<Shift> = {}): Shift {
  const [start = '', end = ''] = times.split('-')
  return { id: `shift-${ref}`, ref, name: `Shift ${ref}`, optional: false, start, end, days: everyDay, ...changes }
}

/** A schedule with one version that is always in force. */
export function aSchedule(shifts: readonly Shift[], changes: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    id: 'schedule',
    companyId: 'company',
    name: 'Schedule',
    versions: [{ effectiveFrom: null, shifts }],
    exceptions: [],
    ...changes,
  }
}

/** UTC ms of an ISO 8601 string. */
export function utc(text: string): number {
  return Date.parse(text)
}

export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
