import { Type } from 'typebox'
import { bool, id, int, list, localDate, localTime, name, nullable, object, type Of, text } from '../types.ts'

const days = list(Type.Integer({ minimum: 1, maximum: 7 }), {
  maxItems: 7,
  description: 'ISO weekdays on which it starts',
})
/** Local wall times; an end not after the start is on the next date. */
const times = { name, start: localTime, end: localTime }

/** As answered: a shift without what only the store needs. */
const shownTimes = { id, ...times, optional: bool }
/** `ref`: one int per (schedule, shift id), a shift's definition. */
const storedTimes = { ...shownTimes, ref: int }

const shiftTimes = object(storedTimes)
export type ShiftTimes = Of<typeof shiftTimes>
const shift = object({ ...storedTimes, days })
export type Shift = Of<typeof shift>

/** `effectiveFrom` null: since ever. */
const scheduleVersion = object({ effectiveFrom: nullable(localDate), shifts: list(shift) })
export type ScheduleVersion = Of<typeof scheduleVersion>
const scheduleException = object({ date: localDate, shifts: list(shiftTimes) })
export type ScheduleException = Of<typeof scheduleException>

export const schedule = object({
  id,
  companyId: text,
  name,
  versions: list(scheduleVersion),
  exceptions: list(scheduleException),
})
export type ScheduleRecord = Of<typeof schedule>

/** A schedule as it is answered. */
export const scheduleAnswer = object({
  id,
  name,
  versions: list(object({ effectiveFrom: nullable(localDate), shifts: list(object({ ...shownTimes, days })) })),
  exceptions: list(object({ date: localDate, shifts: list(object(shownTimes)) })),
})
export type ScheduleAnswer = Of<typeof scheduleAnswer>

/** At most so many shifts in a version or an exception: overlaps are looked for in pairs. */
const maxShifts = 200

const sentTimes = { id, ...times, optional: bool }
const sentShifts = nullable(list(object({ ...sentTimes, days }, ['id', 'optional']), { maxItems: maxShifts }))
const sentTimesList = nullable(list(object(sentTimes, ['id', 'optional']), { maxItems: maxShifts }))

/** A schedule as a caller sends it: a shift's id may be left out. */
export const scheduleInput = object(
  {
    name,
    versions: nullable(
      list(object({ effectiveFrom: nullable(localDate), shifts: sentShifts }, ['effectiveFrom', 'shifts']), {
        maxItems: 1000,
      }),
    ),
    exceptions: nullable(list(object({ date: localDate, shifts: sentTimesList }, ['shifts']), { maxItems: 10_000 })),
  },
  ['versions', 'exceptions'],
)
