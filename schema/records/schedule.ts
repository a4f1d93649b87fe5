import { Type } from 'typebox'
import * as t from '../types.ts'

const days = t.list(Type.Integer({ minimum: 1, maximum: 7 }), {
  maxItems: 7,
  description: 'ISO weekdays on which the shift starts',
})
/** Local wall times; if the end is not after the start, it is on the next date. */
const times = { name: t.name, start: t.localTime, end: t.localTime }

/** Fields of a shift in responses, without `ref`. */
const shownTimes = { id: t.id, ...times, optional: t.bool }
/** `ref`: integer key of the shift's definition, one per (schedule, shift id). */
const storedTimes = { ...shownTimes, ref: t.int }

const shiftTimes = t.object(storedTimes)
export type ShiftTimes = t.Infer<typeof shiftTimes>
const shift = t.object({ ...storedTimes, days })
export type Shift = t.Infer<typeof shift>

/** `effectiveFrom` null: effective from the beginning of time. */
const scheduleVersion = t.object({ effectiveFrom: t.nullable(t.localDate), shifts: t.list(shift) })
export type ScheduleVersion = t.Infer<typeof scheduleVersion>
const scheduleException = t.object({ date: t.localDate, shifts: t.list(shiftTimes) })
export type ScheduleException = t.Infer<typeof scheduleException>

export const schedule = t.object({
  id: t.id,
  companyId: t.text,
  name: t.name,
  versions: t.list(scheduleVersion),
  exceptions: t.list(scheduleException),
})
export type ScheduleRecord = t.Infer<typeof schedule>

/** Response for a schedule. */
export const scheduleResponse = t.named(
  'Schedule',
  t.object({
    id: t.id,
    name: t.name,
    versions: t.list(
      t.named(
        'ScheduleVersion',
        t.object({
          effectiveFrom: t.nullable(t.localDate),
          shifts: t.list(t.named('Shift', t.object({ ...shownTimes, days }))),
        }),
      ),
    ),
    exceptions: t.list(
      t.named(
        'ScheduleException',
        t.object({ date: t.localDate, shifts: t.list(t.named('ExceptionalShift', t.object(shownTimes))) }),
      ),
    ),
  }),
)
export type ScheduleResponse = t.Infer<typeof scheduleResponse>

/** Maximum number of shifts in a version or an exception: every pair is checked for overlap. */
const maxShifts = 200

const sentTimes = { id: t.id, ...times, optional: t.bool }
const shiftInput = t.named('ShiftInput', t.object({ ...sentTimes, days }, ['id', 'optional']))
const exceptionalShiftInput = t.named('ExceptionalShiftInput', t.object(sentTimes, ['id', 'optional']))
const versionInput = t.named(
  'ScheduleVersionInput',
  t.object(
    { effectiveFrom: t.nullable(t.localDate), shifts: t.nullable(t.list(shiftInput, { maxItems: maxShifts })) },
    ['effectiveFrom', 'shifts'],
  ),
)
const exceptionInput = t.named(
  'ScheduleExceptionInput',
  t.object({ date: t.localDate, shifts: t.nullable(t.list(exceptionalShiftInput, { maxItems: maxShifts })) }, [
    'shifts',
  ]),
)

/** Request body for a schedule; the id of a shift may be omitted. */
export const scheduleInput = t.named(
  'ScheduleInput',
  t.withExamples(
    t.object(
      {
        name: t.name,
        versions: t.nullable(t.list(versionInput, { maxItems: 1000 })),
        exceptions: t.nullable(t.list(exceptionInput, { maxItems: 10_000 })),
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
