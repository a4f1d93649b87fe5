import { fault, validationError, type Fault } from '../../../schema/errors.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { type DowntimeRecordsQuery, mostRecordDays, recordLimits } from '../../../schema/requests/downtime-records.ts'
import { toInstant } from '../../../shared/time/instant.ts'
import { dayMs } from '../../../shared/time/units.ts'
import type { CompanyView } from '../company/company-view.ts'
import { reasonCodes } from '../groupings/reasons.ts'
import { usedInstants } from '../plan/range.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'

/** A page of downtime records that was asked for, free of faults, in the terms of the store. */
export interface RecordsRequest {
  readonly range: TimeRange
  /** `ref`s; null: all. */
  readonly machines: readonly MachineRef[] | null
  /** Stored codes; null: all. */
  readonly reasons: readonly number[] | null
  readonly leastMs: number
  readonly orderBy: 'start' | 'duration'
  readonly direction: 'ASC' | 'DESC'
  readonly limit: number
  readonly after: RecordCursor | null
}

/** Place in the order of a list: `inRangeMs` is 0 in the order of starts. */
export interface RecordCursor {
  readonly inRangeMs: number
  readonly startMs: number
  readonly machineRef: MachineRef
}

/** Reads a query. Throws an `ApiError` 400 with every fault. */
export function recordsRequest(query: DowntimeRecordsQuery, view: CompanyView, nowMs: number): RecordsRequest {
  const endMs = query.end === undefined ? nowMs : Date.parse(toInstant(query.end))
  const startMs = query.start === undefined ? endMs - dayMs : Date.parse(toInstant(query.start))
  const after = query.after === undefined ? null : cursorOf(query.after)
  const faults: Fault[] = []
  if (startMs >= endMs) faults.push(fault('start', 'InvalidRange', 'start must be before end'))
  if (endMs - startMs > mostRecordDays * dayMs)
    faults.push(fault('start', 'OutOfRange', `start and end are more than ${mostRecordDays} days apart`))
  if (query.after !== undefined && after === null)
    faults.push(fault('after', 'InvalidDataItem', `There is no '${query.after}'`))
  if (faults.length > 0) throw validationError(faults)
  const wanted = query.machineId && new Set(query.machineId.map(id => id.toLowerCase()))
  return {
    range: usedInstants({ startMs, endMs }, nowMs),
    machines: wanted ? view.machines.filter(({ id }) => wanted.has(id)).map(({ ref }) => ref) : null,
    reasons: reasonCodes(query.reason, view.reasons),
    leastMs: query.minDurationMs ?? 0,
    orderBy: query.orderBy ?? 'start',
    direction: query.direction ?? 'ASC',
    limit: query.limit ?? recordLimits.usual,
    after,
  }
}

/** A cursor as the address of a page holds it. */
export function cursorText({ inRangeMs, startMs, machineRef }: RecordCursor): string {
  return `${inRangeMs}.${startMs}.${machineRef}`
}

function cursorOf(text: string): RecordCursor | null {
  const [, inRangeMs, startMs, machineRef] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})$/.exec(text) ?? []
  if (inRangeMs === undefined || startMs === undefined || machineRef === undefined) return null
  return { inRangeMs: Number(inRangeMs), startMs: Number(startMs), machineRef: asMachineRef(Number(machineRef)) }
}
