import { fieldError, validationError, type FieldError } from '../../../schema/errors.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import {
  type DowntimeRecordsQuery,
  downtimeRecordsQuery,
  recordLimits,
  recordRange,
} from '../../../schema/requests/downtime-records.ts'
import { toInstant } from '../../../shared/time/instant.ts'
import { dayMs, hourMs } from '../../../shared/time/units.ts'
import type { CompanyView } from '../company/company-view.ts'
import { reasonCodes } from '../groupings/entity-resolvers.ts'
import { clampInstants } from '../plan/plan.ts'
import type { Microstops } from '../plan/microstops.ts'
import { parseRange } from '../request/parse.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'

/** A valid request for a page of downtime records, in the units of the store. */
export interface RecordsRequest {
  readonly range: TimeRange
  /** `ref`s; null: all. */
  readonly machines: readonly MachineRef[] | null
  /** Stored codes; null: all. */
  readonly reasons: readonly number[] | null
  readonly minMs: number
  /** Whether microstops are listed, and only they. */
  readonly show: Required<DowntimeRecordsQuery>['microstops']
  readonly microstops: Microstops
  readonly orderBy: 'start' | 'duration'
  readonly direction: 'ASC' | 'DESC'
  readonly limit: number
  readonly after: RecordCursor | null
}

/** Position in a list; `inRangeMs` is 0 in the order of starts. */
export interface RecordCursor {
  readonly inRangeMs: number
  readonly startMs: number
  readonly machineRef: MachineRef
}

/** Parses a query. Throws an `ApiError` 400 with every field error. */
export function recordsRequest(query: DowntimeRecordsQuery, view: CompanyView): RecordsRequest {
  const errors: FieldError[] = []
  const range = rangeOf(query, view, errors)
  const requested = query.machineId && new Set(query.machineId.map(id => id.toLowerCase()))
  const machines = requested ? view.machines.filter(({ id }) => requested.has(id)).map(({ ref }) => ref) : null
  const order = { orderBy: query.orderBy ?? 'start', direction: query.direction ?? 'ASC' } as const
  const after = query.after === undefined ? null : parseCursor(query.after, order)
  const maxDays = maxDaysOf(machines?.length ?? view.machines.length)
  if (range && range.endMs - range.startMs > maxDays * dayMs + longerMs)
    errors.push(
      fieldError('start', 'OutOfRange', `The range exceeds the limit of ${maxDays} days for this number of machines`),
    )
  if (query.after !== undefined && after === null)
    errors.push(fieldError('after', 'InvalidDataItem', `There is no '${query.after}' in this order`))
  if (range === null || errors.length > 0) throw validationError(errors)
  return {
    range: clampInstants(range, view.nowMs),
    machines,
    reasons: reasonCodes(query.reason, view.reasons),
    minMs: query.minDurationMs ?? 0,
    show: query.microstops ?? 'include',
    microstops: view.microstops,
    ...order,
    limit: query.limit ?? recordLimits.default,
    after,
  }
}

/** Shop days in which clocks change may be longer by this. Instants may be, too: the next page of shop days continues in theirs. */
const longerMs = 2 * hourMs

/** The range of a query in instants or shop days; null if there is an error. */
function rangeOf(query: DowntimeRecordsQuery, view: CompanyView, errors: FieldError[]): TimeRange | null {
  if (query.startDay !== undefined || query.endDay !== undefined) {
    const days = parseRange(query, downtimeRecordsQuery, errors)
    return days?.form === 'days' ? view.calendar.dayRange(days.startDay, days.endDay) : null
  }
  const endMs = query.end === undefined ? view.nowMs : Date.parse(toInstant(query.end))
  const startMs = query.start === undefined ? endMs - dayMs : Date.parse(toInstant(query.start))
  if (startMs < endMs) return { startMs, endMs }
  errors.push(fieldError('start', 'InvalidRange', 'start must be before end'))
  return null
}

/** Maximum range in days for this number of machines: each page reads the hours of all of them. */
export function maxDaysOf(machines: number): number {
  const { days, machines: free, minDays } = recordRange
  return Math.max(minDays, Math.floor((days * free) / Math.max(machines, free)))
}

type Order = Pick<RecordsRequest, 'orderBy' | 'direction'>

/** A cursor in the URL of a page: valid only in the same order. */
export function cursorText({ inRangeMs, startMs, machineRef }: RecordCursor, order: Order): string {
  return `${tagOf(order)}.${inRangeMs}.${startMs}.${machineRef}`
}

function tagOf({ orderBy, direction }: Order): string {
  return `${orderBy}-${direction}`
}

function parseCursor(text: string, order: Order): RecordCursor | null {
  const tag = `${tagOf(order)}.`
  if (!text.startsWith(tag)) return null
  const [, inRangeMs, startMs, machineRef] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})$/.exec(text.slice(tag.length)) ?? []
  if (inRangeMs === undefined || startMs === undefined || machineRef === undefined) return null
  return { inRangeMs: Number(inRangeMs), startMs: Number(startMs), machineRef: asMachineRef(Number(machineRef)) }
}
