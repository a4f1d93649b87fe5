import { type FieldError, fieldError } from '../../schema/errors.ts'
import type { scheduleInput } from '../../schema/records/schedule.ts'
import type { Infer } from '../../schema/types.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { timeOfDayMs } from '../../shared/time/local-date.ts'
import { dayMs } from '../../shared/time/units.ts'

/** A schedule in a request that is valid by its schema. */
type ScheduleInput = Pick<Infer<typeof scheduleInput>, 'versions' | 'exceptions'>
type VersionInput = NonNullable<ScheduleInput['versions']>[number]
type ShiftInput = Omit<NonNullable<VersionInput['shifts']>[number], 'days'> & { readonly days?: readonly number[] }

/** Time of a shift relative to the start of the week, or to the date of its exception. */
interface ShiftTime {
  /** Index of the shift's time, which its repetition in the next week shares. */
  readonly index: number
  readonly path: string
  readonly startMs: number
  readonly endMs: number
}

const weekMs = 7 * dayMs
/** Maximum number of shifts of all versions and exceptions together. */
const maxShifts = 5_000
/** Validation stops at this number of field errors. */
const maxFieldErrors = 1_000

/**
 * Returns the field errors that the schema cannot express, up to about 1,000: too many shifts in total, repeated days,
 * ids or dates, and overlaps. Fields have names such as `versions[0].shifts[1].days`.
 */
export function* validateSchedule(schedule: ScheduleInput): Steps<FieldError[]> {
  const tooMany = tooManyShifts(schedule)
  if (tooMany) return [tooMany]
  const versions = schedule.versions ?? []
  const exceptions = schedule.exceptions ?? []
  const errors: FieldError[] = []
  for (const [index, { shifts }] of versions.entries()) {
    if (errors.length >= maxFieldErrors) break
    const times = checkShifts(shifts ?? [], `versions[${index}].shifts`, errors)
    const nextWeek = times.map(time => ({ ...time, startMs: time.startMs + weekMs, endMs: time.endMs + weekMs }))
    reportOverlaps([...times, ...nextWeek], errors)
    yield
  }
  for (const [index, { shifts }] of exceptions.entries()) {
    if (errors.length >= maxFieldErrors) break
    reportOverlaps(checkShifts(shifts ?? [], `exceptions[${index}].shifts`, errors), errors)
    yield
  }
  // Versions without `effectiveFrom` are equal to those with null.
  const starts = versions.map(({ effectiveFrom = null }) => effectiveFrom)
  reportRepeats(starts, index => `versions[${index}]`, 'effectiveFrom', errors)
  const dates = exceptions.map(({ date }) => date)
  reportRepeats(dates, index => `exceptions[${index}]`, 'date', errors)
  return errors
}

/**
 * Returns the error of a schedule with more than `maxShifts` shifts in total; otherwise null. The schedule may be
 * invalid by its schema.
 */
export function tooManyShifts(schedule: unknown): FieldError | null {
  const { versions, exceptions }: { readonly versions?: unknown; readonly exceptions?: unknown } = Object(schedule)
  const owners = [versions, exceptions].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
  const count = owners.reduce<number>((sum, owner) => {
    const { shifts }: { readonly shifts?: unknown } = Object(owner)
    return sum + (Array.isArray(shifts) ? shifts.length : 0)
  }, 0)
  if (count <= maxShifts) return null
  const message = `A schedule may have at most ${maxShifts} shifts, including those of exceptions`
  return fieldError('versions', 'OutOfRange', message)
}

/** Reports repeated days and ids. Returns the time of each shift on each of its days. */
function checkShifts(shifts: readonly ShiftInput[], path: string, errors: FieldError[]): ShiftTime[] {
  const times: ShiftTime[] = []
  for (const [index, { days = [1], start, end }] of shifts.entries()) {
    const shiftPath = `${path}[${index}]`
    const uniqueDays = new Set(days)
    if (uniqueDays.size < days.length)
      errors.push(fieldError(`${shiftPath}.days`, 'InvalidDataItem', 'A day occurs twice'))
    const [startMs, endMs] = [timeOfDayMs(start), timeOfDayMs(end)]
    const durationMs = endMs > startMs ? endMs - startMs : endMs + dayMs - startMs
    for (const day of uniqueDays) {
      const dayStartMs = (day - 1) * dayMs + startMs
      times.push({ index: times.length, path: shiftPath, startMs: dayStartMs, endMs: dayStartMs + durationMs })
    }
  }
  // Omitted ids are generated later and unique.
  const ids = shifts.map(({ id }) => id)
  reportRepeats(ids, index => `${path}[${index}]`, 'id', errors)
  return times
}

/** Reports each value that occurs repeatedly, except undefined. */
function reportRepeats(
  values: readonly (string | null | undefined)[],
  pathAt: (index: number) => string,
  name: string,
  errors: FieldError[],
): void {
  if (errors.length >= maxFieldErrors) return
  const seen = new Set<string | null>()
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue
    const field = `${pathAt(index)}.${name}`
    if (seen.has(value))
      errors.push(fieldError(field, 'InvalidDataItem', `${name} ${JSON.stringify(value)} occurs twice`))
    seen.add(value)
  }
}

/** Reports one error per pair of overlapping shifts, for the later shift of the pair. */
function reportOverlaps(times: readonly ShiftTime[], errors: FieldError[]): void {
  const pairs = new Map<string, readonly [ShiftTime, ShiftTime]>()
  let open: ShiftTime[] = []
  for (const next of times.toSorted((a, b) => a.startMs - b.startMs)) {
    open = open.filter(({ endMs }) => endMs > next.startMs)
    for (const other of open) {
      if (other.index === next.index) continue
      const [a, b] = other.index < next.index ? [other, next] : [next, other]
      pairs.set(`${a.path} ${b.path}`, pairs.get(`${a.path} ${b.path}`) ?? [a, b])
    }
    if (pairs.size >= maxFieldErrors) break
    open.push(next)
  }
  const ordered = [...pairs.values()].toSorted(([a, b], [c, d]) => b.index - d.index || a.index - c.index)
  for (const [a, b] of ordered) errors.push(fieldError(b.path, 'InvalidRange', `${b.path} overlaps ${a.path}`))
}
