import type { ScheduleException, ScheduleRecord, ScheduleVersion, Shift, ShiftTimes } from '../records.ts'
import { bool, id, list, localDate, localTime, name, nullable, object, partial, schema } from './json-schema.ts'

const shiftTimes = { id, name, optional: bool, start: localTime, end: localTime } as const
const days = list({ type: 'integer', minimum: 1, maximum: 7 }, { description: 'ISO weekdays on which it starts' })

type WithoutRef<T extends ShiftTimes> = Omit<T, 'ref'>

/** A schedule as answered: as stored, without what only the store needs. */
export interface ScheduleAnswer extends Pick<ScheduleRecord, 'id' | 'name'> {
  readonly versions: readonly (Omit<ScheduleVersion, 'shifts'> & { readonly shifts: readonly WithoutRef<Shift>[] })[]
  readonly exceptions: readonly (Omit<ScheduleException, 'shifts'> & {
    readonly shifts: readonly WithoutRef<ShiftTimes>[]
  })[]
}

export const scheduleAnswer = schema<ScheduleAnswer>(
  object({
    id,
    name,
    versions: list(object({ effectiveFrom: nullable(localDate), shifts: list(object({ ...shiftTimes, days })) })),
    exceptions: list(object({ date: localDate, shifts: list(object(shiftTimes)) })),
  }),
)

/**
 * Body of `PUT /schedules/:id`. Shown in the docs only: a schedule is checked by `validateSchedule`, which also knows about
 * overlaps and lists every fault.
 */
export const scheduleInput = partial({
  name,
  versions: list(
    partial({
      effectiveFrom: nullable(localDate),
      shifts: list({ ...partial({ ...shiftTimes, days }), required: ['name', 'start', 'end', 'days'] }),
    }),
  ),
  exceptions: list({
    ...partial({
      date: localDate,
      shifts: list({ ...partial(shiftTimes), required: ['name', 'start', 'end'] }),
    }),
    required: ['date'],
  }),
})
