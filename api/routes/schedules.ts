import {
  type ScheduleResponse,
  scheduleResponse,
  type ScheduleRecord,
  type ShiftTimes,
} from '../../schema/records/schedule.ts'
import { byName } from '../../processors/records/sorted-by-machine.ts'
import { tooManyShifts } from '../../processors/calendar/validate-schedule.ts'
import { validationError } from '../../schema/errors.ts'
import { anyOf } from '../auth/scopes.ts'
import { recordRoutes } from './record-routes.ts'

export const scheduleRoutes = recordRoutes({
  kind: 'schedule',
  path: '/schedules',
  read: anyOf('machine.read'),
  write: anyOf('machine'),
  output: scheduleResponse,
  present: toResponse,
  prepare: rejectTooManyShifts,
  list: { summary: 'All schedules, by name' },
  order: byName,
  get: { summary: 'One schedule' },
  put: {
    summary: 'Create or replace a schedule',
    description:
      'Missing shift ids are assigned. Shifts of one version or exception must not overlap, also across the end of the week. A version or exception has at most 200 shifts, a schedule 5,000 in total.',
  },
  delete: {
    summary: 'Delete a schedule that no machine uses',
    description: '409 if a machine uses it, including decommissioned ones.',
  },
})

function rejectTooManyShifts(body: unknown): unknown {
  const error = tooManyShifts(body)
  if (error) throw validationError([error])
  return body
}

function toResponse({ id, name, versions, exceptions }: ScheduleRecord): ScheduleResponse {
  return {
    id,
    name,
    versions: versions.map(({ effectiveFrom, shifts }) => ({
      effectiveFrom,
      shifts: shifts.map(shift => ({ ...times(shift), days: shift.days })),
    })),
    exceptions: exceptions.map(({ date, shifts }) => ({ date, shifts: shifts.map(times) })),
  }
}

function times({ id, name, optional, start, end }: ShiftTimes): Omit<ShiftTimes, 'ref'> {
  return { id, name, optional, start, end }
}
