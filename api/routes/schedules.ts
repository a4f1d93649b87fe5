import { validateSchedule } from '../../processors/calendar/validate-schedule.ts'
import { nothing, schema } from '../../schema/api/json-schema.ts'
import { type ScheduleAnswer, scheduleAnswer, scheduleInput, scheduleList } from '../../schema/api/schedule.ts'
import { notFound, validationError } from '../../schema/errors.ts'
import type { ScheduleRecord, Shift, ShiftTimes } from '../../schema/records.ts'
import type { Caller } from '../auth/authenticate.ts'
import { anyOf } from '../auth/scopes.ts'
import { route, uncheckedBody } from '../http/route.ts'
import type { ApiDeps } from '../ports.ts'
import { type Params, submit, withId } from './submit.ts'

const listSchedules = route({
  method: 'GET',
  path: '/schedules',
  summary: 'Every schedule',
  scope: anyOf('machine.read'),
  output: scheduleList,
  handle: ({ caller }, { records }) => records.list('schedule', caller().company.id).map(answer),
})

const getSchedule = route({
  method: 'GET',
  path: '/schedules/:id',
  summary: 'One schedule',
  scope: anyOf('machine.read'),
  output: scheduleAnswer,
  handle: ({ caller, params }, deps) => findSchedule(deps, caller(), params),
})

const putSchedule = route({
  method: 'PUT',
  path: '/schedules/:id',
  summary: 'Create or replace a schedule',
  description:
    'Shift ids are yours or made. Shifts of one version or exception must not overlap, the week being a circle.',
  scope: anyOf('machine'),
  body: uncheckedBody(scheduleInput),
  output: scheduleAnswer,
  async handle({ caller, params, body }, deps) {
    const faults = validateSchedule(body)
    if (faults.length > 0) throw validationError(faults)
    await submit(deps, caller(), 'schedule.put', withId(body, params))
    return findSchedule(deps, caller(), params)
  },
})

const deleteSchedule = route({
  method: 'DELETE',
  path: '/schedules/:id',
  summary: 'Delete a schedule that no machine follows',
  scope: anyOf('machine'),
  output: schema<null>(nothing),
  async handle({ caller, params }, deps) {
    await submit(deps, caller(), 'schedule.delete', withId(null, params))
    return null
  },
})

function findSchedule({ records }: Pick<ApiDeps, 'records'>, { company }: Caller, params: Params): ScheduleAnswer {
  const schedule = records.get('schedule', company.id, params['id'] ?? '')
  if (!schedule) throw notFound()
  return answer(schedule)
}

function answer({ id, name, versions, exceptions }: ScheduleRecord): ScheduleAnswer {
  return {
    id,
    name,
    versions: versions.map(({ effectiveFrom, shifts }) => ({ effectiveFrom, shifts: shifts.map(weekly) })),
    exceptions: exceptions.map(({ date, shifts }) => ({ date, shifts: shifts.map(times) })),
  }
}

function weekly(shift: Shift): Omit<Shift, 'ref'> {
  return { ...times(shift), days: shift.days }
}

function times({ id, name, optional, start, end }: ShiftTimes): Omit<ShiftTimes, 'ref'> {
  return { id, name, optional, start, end }
}

export const scheduleRoutes = [listSchedules, getSchedule, putSchedule, deleteSchedule]
