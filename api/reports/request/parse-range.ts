import { type Fault, fault } from '../../../schema/errors.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { isLocalDate } from '../../../shared/time/local-date.ts'
import { type Body, isAbsent, title } from './parse-fields.ts'
import type { RequestedRange } from './request.ts'

/** Nothing is older: what the store's instants begin with. */
const earliestMs = 0
const earliestDay = '1970-01-01'

/** Exactly one of `start` and `end`, or `startDay` and `endDay`; null on an error. */
export function parseRange(body: Body, faults: Fault[]): RequestedRange | null {
  const has = (name: string) => !isAbsent(body[name])
  const byInstants = has('start') || has('end')
  const byDays = has('startDay') || has('endDay')
  if (byInstants && byDays) {
    faults.push(fault('start', 'MutuallyExclusive', 'Start and end must not be combined with startDay and endDay'))
    return null
  }
  return byDays ? parseDays(body, faults) : parseInstants(body, faults)
}

function parseInstants(body: Body, faults: Fault[]): RequestedRange | null {
  const startMs = field(body, 'start', 'date-time', parseInstantMs, faults)
  const endMs = field(body, 'end', 'date-time', parseInstantMs, faults)
  if (startMs === null || endMs === null) return null
  if (startMs < earliestMs) return refuse(faults, 'start', 'OutOfRange', `Start must not be before ${earliestDay}`)
  if (startMs >= endMs) return refuse(faults, 'start', 'InvalidRange', 'Start must be before end')
  return { form: 'instants', startMs, endMs }
}

function parseDays(body: Body, faults: Fault[]): RequestedRange | null {
  const startDay = field(body, 'startDay', 'date', parseDay, faults)
  const endDay = field(body, 'endDay', 'date', parseDay, faults)
  if (startDay === null || endDay === null) return null
  if (startDay < earliestDay)
    return refuse(faults, 'startDay', 'OutOfRange', `StartDay must not be before ${earliestDay}`)
  if (startDay > endDay) return refuse(faults, 'startDay', 'InvalidRange', 'StartDay must not be after endDay')
  return { form: 'days', startDay, endDay }
}

function field<T>(
  body: Body,
  name: string,
  kind: string,
  parse: (text: string) => T | null,
  faults: Fault[],
): T | null {
  const value = body[name]
  if (isAbsent(value)) return refuse(faults, name, 'Required', `${title(name)} is required`)
  if (typeof value !== 'string') return refuse(faults, name, 'InvalidType', `${title(name)} must be a string`)
  return parse(value) ?? refuse(faults, name, 'InvalidDate', `${title(name)} is not a valid ${kind}`)
}

function refuse(faults: Fault[], ...[name, code, message]: Parameters<typeof fault>): null {
  faults.push(fault(name, code, message))
  return null
}

const day = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/i

/** A date `YYYY-MM-DD`, also written as midnight in UTC (the format of `shopDate`); null for an invalid date. */
export function parseDay(text: string): string | null {
  const date = day.exec(text)?.[1]
  return date !== undefined && isLocalDate(date) ? date : null
}
