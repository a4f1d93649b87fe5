import { type Fault, fault, type FaultCode } from '../../../schema/errors.ts'
import type { Schema } from '../../../schema/types.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { isLocalDate } from '../../../shared/time/local-date.ts'
import { type Body, checkFields, isAbsent, title } from './check-fields.ts'
import type { RequestedRange } from './request.ts'

/** The store counts time from here. */
const earliestDay = '1970-01-01'

/** Exactly one of `start` and `end`, or `startDay` and `endDay`, with their order; null if there is an error. */
export function parseRange(body: Body, schema: Schema, faults: Fault[]): RequestedRange | null {
  const has = (name: string) => !isAbsent(body[name])
  const byDays = has('startDay') || has('endDay')
  if (byDays && (has('start') || has('end'))) {
    faults.push(fault('start', 'MutuallyExclusive', 'Start and end must not be combined with startDay and endDay'))
    return null
  }
  const read = <T>(name: string, parse: (text: string) => T | null): T | null => {
    const value = body[name]
    if (isAbsent(value)) faults.push(fault(name, 'Required', `${title(name)} is required`))
    const parsed = typeof value === 'string' ? parse(value) : null
    if (parsed === null) checkFields(body, schema, [name], faults)
    return parsed
  }
  const refuse = (code: FaultCode, message: string) => {
    const name = byDays ? 'startDay' : 'start'
    faults.push(fault(name, code, `${title(name)} must ${message}`))
    return null
  }
  const isTooEarly = `not be before ${earliestDay}`
  if (byDays) {
    const [startDay, endDay] = [read('startDay', parseDay), read('endDay', parseDay)]
    if (startDay === null || endDay === null) return null
    if (startDay < earliestDay) return refuse('OutOfRange', isTooEarly)
    return startDay <= endDay ? { form: 'days', startDay, endDay } : refuse('InvalidRange', 'not be after endDay')
  }
  const [startMs, endMs] = [read('start', parseInstantMs), read('end', parseInstantMs)]
  if (startMs === null || endMs === null) return null
  if (startMs < 0) return refuse('OutOfRange', isTooEarly)
  return startMs < endMs ? { form: 'instants', startMs, endMs } : refuse('InvalidRange', 'be before end')
}

const day = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/i

/** A date `YYYY-MM-DD`, also written as midnight in UTC (the format of `shopDate`); null for an invalid date. */
export function parseDay(text: string): string | null {
  const date = day.exec(text)?.[1]
  return date !== undefined && isLocalDate(date) ? date : null
}
