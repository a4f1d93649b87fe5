import { Type } from 'typebox'
import {
  bool,
  id,
  int,
  list,
  localDate,
  localTime,
  name,
  named,
  nullable,
  object,
  type Infer,
  text,
  withExamples,
} from '../types.ts'

const days = list(Type.Integer({ minimum: 1, maximum: 7 }), {
  maxItems: 7,
  description: 'ISO weekdays on which the shift starts',
})
/** Local wall times; if the end is not after the start, it is on the next date. */
const times = { name, start: localTime, end: localTime }

/** Fields of a shift in responses, without `ref`. */
const shownTimes = { id, ...times, optional: bool }
/** `ref`: integer key of the shift's definition, one per (schedule, shift id). */
const storedTimes = { ...shownTimes, ref: int }

const shiftTimes = object(storedTimes)
export type ShiftTimes = Infer<typeof shiftTimes>
const shift = object({ ...storedTimes, days })
export type Shift = Infer<typeof shift>

/** `effectiveFrom` null: effective from the beginning of time. */
const scheduleVersion = object({ effectiveFrom: nullable(localDate), shifts: list(shift) })
export type ScheduleVersion = Infer<typeof scheduleVersion>
const scheduleException = object({ date: localDate, shifts: list(shiftTimes) })
export type ScheduleException = Infer<typeof scheduleException>

export const schedule = object({
  id,
  companyId: text,
  name,
  versions: list(scheduleVersion),
  exceptions: list(scheduleException),
})
export type ScheduleRecord = Infer<typeof schedule>

/** Response for a schedule. */
export const scheduleResponse = named(
  'Schedule',
  object({
    id,
    name,
    versions: list(
      named(
        'ScheduleVersion',
        object({
          effectiveFrom: nullable(localDate),
          shifts: list(named('Shift', object({ ...shownTimes, days }))),
        }),
      ),
    ),
    exceptions: list(
      named(
        'ScheduleException',
        object({ date: localDate, shifts: list(named('ExceptionalShift', object(shownTimes))) }),
      ),
    ),
  }),
)
export type ScheduleResponse = Infer<typeof scheduleResponse>

/** Maximum number of shifts in a version or an exception: every pair is checked for overlap. */
const maxShifts = 200

const sentTimes = { id, ...times, optional: bool }
const shiftInput = named('ShiftInput', object({ ...sentTimes, days }, ['id', 'optional']))
const exceptionalShiftInput = named('ExceptionalShiftInput', object(sentTimes, ['id', 'optional']))
const versionInput = named(
  'ScheduleVersionInput',
  object({ effectiveFrom: nullable(localDate), shifts: nullable(list(shiftInput, { maxItems: maxShifts })) }, [
    'effectiveFrom',
    'shifts',
  ]),
)
const exceptionInput = named(
  'ScheduleExceptionInput',
  object({ date: localDate, shifts: nullable(list(exceptionalShiftInput, { maxItems: maxShifts })) }, ['shifts']),
)

/** Request body for a schedule; the id of a shift may be omitted. */
export const scheduleInput = named(
  'ScheduleInput',
  withExamples(
    object(
      {
        name,
        versions: nullable(list(versionInput, { maxItems: 1000 })),
        exceptions: nullable(list(exceptionInput, { maxItems: 10_000 })),
      },
      ['versions', 'exceptions'],
    ),
    {
      name: 'Two shifts',
      versions: [
        {
          effectiveFrom: null,
          shifts: [
            { name: 'Early', days: [1, 2, 3, 4, 5], start: '06:00', end: '14:00' },
            { name: 'Late', days: [1, 2, 3, 4, 5], start: '14:00', end: '22:00' },
          ],
        },
      ],
      exceptions: [{ date: '2026-12-25', shifts: [] }],
    },
  ),
)
