import { exampleIds } from '../../schema/example-ids.ts'
import {
  type ScheduleRecord,
  type Shift,
  type ShiftTimes,
  type ScheduleAnswer,
  scheduleAnswer,
  scheduleInput,
} from '../../schema/records/schedule.ts'
import { tooManyShifts } from '../../processors/calendar/validate-schedule.ts'
import { validationError } from '../../schema/errors.ts'
import { anyOf } from '../auth/scopes.ts'
import { commandBody, route } from '../http/route.ts'
import { deleteRecord, getRecord, listRecords, type Resource } from './record-routes.ts'
import { pathId, submit, withId } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

const path = '/schedules'

const schedules: Resource<'schedule', typeof scheduleAnswer> = {
  kind: 'schedule',
  exampleId: exampleIds.schedule,
  path,
  read: anyOf('machine.read'),
  write: anyOf('machine'),
  output: scheduleAnswer,
  present: answer,
}

const putSchedule = route({
  method: 'PUT',
  path: `${path}/:id`,
  operationId: 'putSchedule',
  example: { id: exampleIds.schedule },
  summary: 'Create or replace a schedule',
  description:
    'Missing shift ids are assigned. Shifts of one version or exception must not overlap, also across the end of the week. A version or exception has at most 200 shifts, a schedule 5,000 in total.',
  scope: schedules.write,
  body: commandBody(scheduleInput),
  output: scheduleAnswer,
  async handle({ caller, params, body }, deps: CommandsPort & RecordsPort) {
    const tooMany = tooManyShifts(body)
    if (tooMany) throw validationError([tooMany])
    return answer(await submit(deps, caller(), 'schedule.put', withId(body, pathId(params))))
  },
})

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

export const scheduleRoutes = [
  listRecords(schedules, { summary: 'All schedules' }),
  getRecord(schedules, { summary: 'One schedule' }),
  putSchedule,
  deleteRecord(schedules, {
    summary: 'Delete a schedule that no machine uses',
    description: '409 if a machine uses it, including decommissioned ones.',
  }),
]
