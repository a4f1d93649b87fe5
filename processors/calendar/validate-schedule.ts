import { type Fault, fault } from '../../schema/errors.ts'
import { atOnce, type Steps } from '../../shared/async/steps.ts'
import { isLocalDate, isLocalTime, timeOfDayMs } from '../../shared/time/local-date.ts'
import { dayMs } from '../../shared/time/units.ts'

type Values = Readonly<Record<string, unknown>>

/** A stretch of a circle (a week) or of a line (the days around a date), with the shift it comes from. */
interface Stretch {
  /** Its place among the stretches; the same for all of its copies. */
  readonly index: number
  readonly path: string
  readonly startMs: number
  readonly endMs: number
}

const weekMs = 7 * dayMs
/** Most shifts of one version or exception. */
const maxShifts = 200
const maxVersions = 1_000
const maxExceptions = 10_000
/** Most shifts of all versions and exceptions. */
const maxShiftsInAll = 5_000
/** The validation stops at this number of errors. */
const enoughFaults = 1_000

/**
 * The faults of a schedule as a caller sends it (`name`, `versions`, `exceptions`), every one of them up to about a thousand; empty:
 * it can be stored. Fields are named like `versions[0].shifts[1].start`.
 */
export function validateSchedule(payload: unknown): Fault[] {
  return atOnce(validatingSchedule(payload))
}

/** As `validateSchedule`, in steps. */
export function* validatingSchedule(payload: unknown): Steps<Fault[]> {
  if (!isObject(payload)) return [fault('', 'InvalidType', 'A schedule is an object')]
  const tooMany = tooManyShifts(payload)
  if (tooMany) return [tooMany]
  const faults: Fault[] = []
  checkName(payload, '', faults)
  yield* checkList(payload, 'versions', maxVersions, '', faults, checkVersion)
  yield* checkList(payload, 'exceptions', maxExceptions, '', faults, checkException)
  checkUnique(payload['versions'], 'versions', 'effectiveFrom', faults)
  checkUnique(payload['exceptions'], 'exceptions', 'date', faults)
  return faults
}

/** The fault of a schedule that has more shifts than may be stored; null: it has not. */
export function tooManyShifts(payload: unknown): Fault | null {
  if (!isObject(payload)) return null
  const shifts = [payload['versions'], payload['exceptions']].flatMap(shiftListsOf)
  const count = shifts.reduce((sum, { length }) => sum + length, 0)
  return count > maxShiftsInAll
    ? fault(
        'versions',
        'OutOfRange',
        `A schedule has at most ${maxShiftsInAll} shifts in all, those of exceptions included`,
      )
    : null
}

function shiftListsOf(owners: unknown): readonly (readonly unknown[])[] {
  if (!Array.isArray(owners)) return []
  return (owners as readonly unknown[]).flatMap(owner => {
    const shifts: unknown = isObject(owner) ? owner['shifts'] : null
    return Array.isArray(shifts) ? [shifts as readonly unknown[]] : []
  })
}

function checkVersion(version: Values, path: string, faults: Fault[]): void {
  const { effectiveFrom = null } = version
  if (effectiveFrom !== null) checkDate(effectiveFrom, `${path}.effectiveFrom`, faults)
  const stretches = checkShifts(version, path, faults, true)
  const again = stretches.map(({ startMs, endMs, ...rest }) => ({
    startMs: startMs + weekMs,
    endMs: endMs + weekMs,
    ...rest,
  }))
  reportOverlaps([...stretches, ...again], faults)
}

function checkException(exception: Values, path: string, faults: Fault[]): void {
  if (exception['date'] === undefined) faults.push(fault(`${path}.date`, 'Required', 'date is required'))
  else checkDate(exception['date'], `${path}.date`, faults)
  reportOverlaps(checkShifts(exception, path, faults, false), faults)
}

function checkShifts(owner: Values, path: string, faults: Fault[], weekly: boolean): Stretch[] {
  const stretches: Stretch[] = []
  const check = (shift: Values, shiftPath: string): void => {
    const days = weekly ? checkDays(shift, shiftPath, faults) : [1]
    checkName(shift, shiftPath, faults)
    checkIdAndOptional(shift, shiftPath, faults)
    const times = checkTimes(shift, shiftPath, faults)
    if (times === null) return
    for (const day of days) stretches.push({ index: stretches.length, path: shiftPath, ...placed(times, day) })
  }
  atOnce(checkList(owner, 'shifts', maxShifts, path, faults, check))
  checkUnique(owner['shifts'], join(path, 'shifts'), 'id', faults)
  return stretches
}

function placed(
  { startMs, endMs }: { startMs: number; endMs: number },
  day: number,
): Pick<Stretch, 'startMs' | 'endMs'> {
  const midnightMs = (day - 1) * dayMs
  return { startMs: midnightMs + startMs, endMs: midnightMs + (endMs > startMs ? endMs : endMs + dayMs) }
}

function checkIdAndOptional({ id, optional }: Values, path: string, faults: Fault[]): void {
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    faults.push(fault(`${path}.id`, 'InvalidType', 'id must be a text that is not empty'))
  if (optional !== undefined && typeof optional !== 'boolean')
    faults.push(fault(`${path}.optional`, 'InvalidType', 'optional must be true or false'))
}

function checkDays({ days }: Values, path: string, faults: Fault[]): number[] {
  const field = `${path}.days`
  if (!Array.isArray(days)) {
    faults.push(days === undefined ? fault(field, 'Required', 'days is required') : notAList(field))
    return []
  }
  const valid = days.filter((day): day is number => Number.isInteger(day) && day >= 1 && day <= 7)
  if (valid.length < days.length) faults.push(fault(field, 'OutOfRange', 'days are 1 (Monday) to 7 (Sunday)'))
  const unique = new Set(valid)
  if (unique.size < valid.length) faults.push(fault(field, 'InvalidDataItem', 'A day is named twice'))
  return [...unique]
}

function checkTimes(shift: Values, path: string, faults: Fault[]): { startMs: number; endMs: number } | null {
  const [startMs, endMs] = ['start', 'end'].map(name => checkTime(shift[name], `${path}.${name}`, faults))
  return typeof startMs === 'number' && typeof endMs === 'number' ? { startMs, endMs } : null
}

function checkTime(time: unknown, field: string, faults: Fault[]): number | null {
  if (typeof time === 'string' && isLocalTime(time)) return timeOfDayMs(time)
  if (time === undefined) faults.push(fault(field, 'Required', `${field} is required`))
  else if (typeof time === 'string') faults.push(fault(field, 'InvalidDate', `Invalid time '${time}': use HH:mm`))
  else faults.push(fault(field, 'InvalidType', `${field} must be a text (HH:mm)`))
  return null
}

function checkDate(date: unknown, field: string, faults: Fault[]): void {
  if (typeof date !== 'string') faults.push(fault(field, 'InvalidType', `${field} must be a text (YYYY-MM-DD)`))
  else if (!isLocalDate(date)) faults.push(fault(field, 'InvalidDate', `Invalid date '${date}': use YYYY-MM-DD`))
}

function checkName({ name }: Values, path: string, faults: Fault[]): void {
  const field = join(path, 'name')
  if (name === undefined) faults.push(fault(field, 'Required', `${field} is required`))
  else if (typeof name !== 'string') faults.push(fault(field, 'InvalidType', `${field} must be a text`))
  else if (name.trim() === '') faults.push(fault(field, 'OutOfRange', `${field} must not be empty`))
}

/** A list that is left out is empty. */
function* checkList(
  owner: Values,
  name: string,
  most: number,
  path: string,
  faults: Fault[],
  check: (item: Values, path: string, faults: Fault[]) => void,
): Steps<void> {
  const list = owner[name] ?? []
  const field = join(path, name)
  if (!Array.isArray(list)) {
    faults.push(notAList(field))
    return
  }
  if (list.length > most) {
    faults.push(fault(field, 'OutOfRange', `At most ${most} ${name}`))
    return
  }
  for (const [index, item] of (list as readonly unknown[]).entries()) {
    if (faults.length >= enoughFaults) return
    const itemPath = `${field}[${index}]`
    if (isObject(item)) check(item, itemPath, faults)
    else faults.push(fault(itemPath, 'InvalidType', `${itemPath} must be an object`))
    yield
  }
}

/** Versions without `effectiveFrom` are equal to those with null; ids left out are made later and differ. */
function checkUnique(list: unknown, path: string, name: string, faults: Fault[]): void {
  if (!Array.isArray(list) || faults.length >= enoughFaults) return
  const seen = new Set<unknown>()
  for (const [index, item] of (list as readonly unknown[]).entries()) {
    if (!isObject(item)) continue
    const value = item[name] ?? (name === 'effectiveFrom' ? null : undefined)
    if (value === undefined) continue
    if (seen.has(value))
      faults.push(
        fault(`${path}[${index}].${name}`, 'InvalidDataItem', `${name} ${JSON.stringify(value)} is there twice`),
      )
    seen.add(value)
  }
}

/** One fault per pair of shifts, however often they meet; of a pair the later one is named first. */
function reportOverlaps(stretches: readonly Stretch[], faults: Fault[]): void {
  const pairs = new Map<string, readonly [Stretch, Stretch]>()
  let underWay: Stretch[] = []
  for (const next of stretches.toSorted((a, b) => a.startMs - b.startMs)) {
    underWay = underWay.filter(({ endMs }) => endMs > next.startMs)
    for (const other of underWay) {
      if (other.index === next.index) continue
      const [a, b] = other.index < next.index ? [other, next] : [next, other]
      pairs.set(`${a.path} ${b.path}`, pairs.get(`${a.path} ${b.path}`) ?? [a, b])
    }
    if (pairs.size >= enoughFaults) break
    underWay.push(next)
  }
  const ordered = [...pairs.values()].toSorted(([a, b], [c, d]) => b.index - d.index || a.index - c.index)
  for (const [a, b] of ordered) faults.push(fault(b.path, 'InvalidRange', `${b.path} overlaps ${a.path}`))
}

function notAList(field: string): Fault {
  return fault(field, 'InvalidType', `${field} must be a list`)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
