import type { MappingRule } from '../../schema/records/connector.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { toNumber } from './convert-value.ts'

/** Number of each unit in a microsecond, or of microseconds in a unit. */
const factors = { s: 1_000_000, ms: 1_000, us: 1, ns: 0.001 } as const

/**
 * Returns the time of a payload in UTC µs: a number in the unit (milliseconds by default), also as text, or an ISO 8601
 * date-time. null: it has another form, or is before 1970.
 */
export function readTimeUs(found: unknown, unit: MappingRule['timeUnit'] = 'ms'): number | null {
  const number = toNumber(found)
  const us = number === null ? instantUs(found) : Math.round(number * factors[unit])
  return us !== null && Number.isSafeInteger(us) && us >= 0 ? us : null
}

function instantUs(found: unknown): number | null {
  return typeof found === 'string' ? parseInstantUs(found) : null
}
