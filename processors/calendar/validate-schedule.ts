import { type Fault, fault } from '../../schema/errors.ts'
import type { scheduleInput } from '../../schema/records/schedule.ts'
import type { Of } from '../../schema/types.ts'
import { runSync, type Steps } from '../../shared/async/steps.ts'
import { timeOfDayMs } from '../../shared/time/local-date.ts'
import { dayMs } from '../../shared/time/units.ts'

/** A schedule as a caller sends it, which fits its schema. */
type SentSchedule = Pick<Of<typeof scheduleInput>, 'versions' | 'exceptions'>
type SentVersion = NonNullable<SentSchedule['versions']>[number]
type SentShift = Omit<NonNullable<SentVersion['shifts']>[number], 'days'> & { readonly days?: readonly number[] }

/** Time of a shift in a circle (a week) or in a line (the days around a date). */
interface ShiftTime {
  /** Its number, which copies of it share. */
  readonly index: number
  readonly path: string
  readonly startMs: number
  readonly endMs: number
}

const weekMs = 7 * dayMs
/** Maximum number of shifts of all versions and exceptions. */
const maxShifts = 5_000
/** The validation stops at this number of errors. */
const maxFaults = 1_000

/**
 * Returns the errors that the schema of a schedule cannot express, up to about a thousand: too many shifts in all, a name that occurs
 * twice, and overlaps. Fields are named like `versions[0].shifts[1].days`.
 */
export function validateSchedule(schedule: SentSchedule): Fault[] {
  return runSync(validatingSchedule(schedule))
}

/** As `validateSchedule`, in steps. */
export function* validatingSchedule(schedule: SentSchedule): Steps<Fault[]> {
  const tooMany = tooManyShifts(schedule)
  if (tooMany) return [tooMany]
  const versions = schedule.versions ?? []
  const exceptions = schedule.exceptions ?? []
  const faults: Fault[] = []
  for (const [index, { shifts }] of versions.entries()) {
    if (faults.length >= maxFaults) break
    const times = checkShifts(shifts ?? [], `versions[${index}].shifts`, faults)
    const nextWeek = times.map(time => ({ ...time, startMs: time.startMs + weekMs, endMs: time.endMs + weekMs }))
    reportOverlaps([...times, ...nextWeek], faults)
    yield
  }
  for (const [index, { shifts }] of exceptions.entries()) {
    if (faults.length >= maxFaults) break
    reportOverlaps(checkShifts(shifts ?? [], `exceptions[${index}].shifts`, faults), faults)
    yield
  }
  // Versions without `effectiveFrom` are equal to those with null.
  const starts = versions.map(({ effectiveFrom = null }) => effectiveFrom)
  reportRepeats(starts, index => `versions[${index}]`, 'effectiveFrom', faults)
  const dates = exceptions.map(({ date }) => date)
  reportRepeats(dates, index => `exceptions[${index}]`, 'date', faults)
  return faults
}

/** Returns the error of a schedule, which may not fit its schema, with more shifts than may be stored; null: it has not. */
export function tooManyShifts(schedule: unknown): Fault | null {
  const { versions, exceptions }: { readonly versions?: unknown; readonly exceptions?: unknown } = Object(schedule)
  const owners = [versions, exceptions].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
  const count = owners.reduce<number>((sum, owner) => {
    const { shifts }: { readonly shifts?: unknown } = Object(owner)
    return sum + (Array.isArray(shifts) ? shifts.length : 0)
  }, 0)
  if (count <= maxShifts) return null
  const message = `A schedule has at most ${maxShifts} shifts in all, those of exceptions included`
  return fault('versions', 'OutOfRange', message)
}

/** Reports days and ids that occur twice. Returns the time of each shift on each of its days. */
function checkShifts(shifts: readonly SentShift[], path: string, faults: Fault[]): ShiftTime[] {
  const times: ShiftTime[] = []
  for (const [index, { days = [1], start, end }] of shifts.entries()) {
    const shiftPath = `${path}[${index}]`
    const uniqueDays = new Set(days)
    if (uniqueDays.size < days.length)
      faults.push(fault(`${shiftPath}.days`, 'InvalidDataItem', 'A day is named twice'))
    const [startMs, endMs] = [timeOfDayMs(start), timeOfDayMs(end)]
    const durationMs = endMs > startMs ? endMs - startMs : endMs + dayMs - startMs
    for (const day of uniqueDays) {
      const dayStartMs = (day - 1) * dayMs + startMs
      times.push({ index: times.length, path: shiftPath, startMs: dayStartMs, endMs: dayStartMs + durationMs })
    }
  }
  // Ids that are left out are generated later, and differ.
  const ids = shifts.map(({ id }) => id)
  reportRepeats(ids, index => `${path}[${index}]`, 'id', faults)
  return times
}

/** Reports each value that occurred before, except undefined. */
function reportRepeats(
  values: readonly (string | null | undefined)[],
  pathAt: (index: number) => string,
  name: string,
  faults: Fault[],
): void {
  if (faults.length >= maxFaults) return
  const seen = new Set<string | null>()
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue
    const field = `${pathAt(index)}.${name}`
    if (seen.has(value)) faults.push(fault(field, 'InvalidDataItem', `${name} ${JSON.stringify(value)} is there twice`))
    seen.add(value)
  }
}

/** Reports one error per pair of shifts, regardless of how often they overlap; the later one of a pair is named first. */
function reportOverlaps(times: readonly ShiftTime[], faults: Fault[]): void {
  const pairs = new Map<string, readonly [ShiftTime, ShiftTime]>()
  let open: ShiftTime[] = []
  for (const next of times.toSorted((a, b) => a.startMs - b.startMs)) {
    open = open.filter(({ endMs }) => endMs > next.startMs)
    for (const other of open) {
      if (other.index === next.index) continue
      const [a, b] = other.index < next.index ? [other, next] : [next, other]
      pairs.set(`${a.path} ${b.path}`, pairs.get(`${a.path} ${b.path}`) ?? [a, b])
    }
    if (pairs.size >= maxFaults) break
    open.push(next)
  }
  const ordered = [...pairs.values()].toSorted(([a, b], [c, d]) => b.index - d.index || a.index - c.index)
  for (const [a, b] of ordered) faults.push(fault(b.path, 'InvalidRange', `${b.path} overlaps ${a.path}`))
}
