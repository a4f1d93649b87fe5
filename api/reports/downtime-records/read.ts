import { int, machineRef, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import type { Asking } from '../ask/asking.ts'
import type { CompanyView } from '../company/company-view.ts'
import { documentScope } from '../compile/documents.ts'
import type { DocumentScope } from '../compile/documents.ts'
import { keepsNothing } from '../plan/filters.ts'
import { makeMissing, type MissingDeps } from '../sources/provisional-documents.ts'
import { compileBegins, compileEnds, compileRecords, type RecordKey } from './compile.ts'
import type { RecordsRequest } from './request.ts'

/** A downtime record as the documents have it, whole. */
export interface DowntimeRecord extends RecordKey {
  /** A reason's id, or a `reasonCode`. */
  readonly reasonCode: number
  /** UTC ms; null: it goes on. */
  readonly endMs: number | null
}

/** A downtime record of a range. */
export interface ListedRecord extends DowntimeRecord {
  /** Time of it in the range. */
  readonly inRangeMs: number
}

/** Parts of the process by which records are read. */
export interface RecordsDeps extends MissingDeps, Asking {
  readonly view: CompanyView
  /** UTC ms. */
  readonly nowMs: number
}

/** The records of a page, in its order. Rejects as reports do. */
export async function readRecords(request: RecordsRequest, deps: RecordsDeps): Promise<readonly ListedRecord[]> {
  const { range, machines, reasons } = request
  if (keepsNothing([machines, reasons]) || range.startMs >= range.endMs) return []
  const scope = await scopeOf(range, machines, deps)
  const found = await rows(
    deps.store,
    compileRecords(request, scope, deps.nowMs),
    { machineRef, startMs: wide, reasonCode: int, endMs: wide, inRangeMs: wide },
    deps.options,
  )
  return withEnds(found, () => Math.ceil(range.endMs / hourMs) * hourMs, scope, deps)
}

/** Finds the records with these keys; leaves out those that are not there. Rejects as reports do. */
export async function findRecords(keys: readonly RecordKey[], deps: RecordsDeps): Promise<readonly DowntimeRecord[]> {
  const known = keys.filter(({ startMs }) => startMs < deps.nowMs)
  if (known.length === 0) return []
  const machines = [...new Set(known.map(key => key.machineRef))]
  const startMs = Math.min(...known.map(key => key.startMs))
  const scope = await scopeOf({ startMs, endMs: deps.nowMs }, machines, deps)
  const found = await rows(
    deps.store,
    compileBegins(known, scope),
    { machineRef, startMs: wide, reasonCode: int, endMs: wide },
    deps.options,
  )
  return withEnds(found, record => slotOf(record.startMs) + hourMs, scope, deps)
}

async function scopeOf(
  range: TimeRange,
  machines: readonly MachineRef[] | null,
  deps: RecordsDeps,
): Promise<DocumentScope> {
  const companyRef = deps.view.company.ref
  const provisional = (await makeMissing({ companyRef, range, machines }, deps.view, deps)) ?? []
  const filters = { machines, shifts: null, runs: null, operators: null }
  return documentScope({ companyRef, filters }, { provisional })
}

/** Follows records that reach the end of the hours that were read (`readUntilMs`) to their own ends. */
async function withEnds<R extends DowntimeRecord & { readonly endMs: number }>(
  found: readonly R[],
  readUntilMs: (record: R) => number,
  scope: DocumentScope,
  { store, options, nowMs }: RecordsDeps,
): Promise<readonly (Omit<R, 'endMs'> & { readonly endMs: number | null })[]> {
  const open = found.filter(record => record.endMs === readUntilMs(record) && record.endMs <= nowMs)
  const ends = new Map<string, number>()
  if (open.length > 0) {
    const fromMs = Math.min(...open.map(({ endMs }) => endMs))
    const ofMachines = { ...scope, machines: [...new Set(open.map(record => record.machineRef))] }
    const query = compileEnds(open, ofMachines, fromMs, nowMs)
    for (const end of await rows(store, query, { machineRef, startMs: wide, endMs: wide }, options))
      ends.set(keyText(end), end.endMs)
  }
  return found.map(record => {
    const endMs = Math.max(record.endMs, ends.get(keyText(record)) ?? 0)
    return { ...record, endMs: endMs > nowMs ? null : endMs }
  })
}

function keyText({ machineRef: machine, startMs }: RecordKey): string {
  return `${machine}_${startMs}`
}
