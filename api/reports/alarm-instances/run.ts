import { big, narrow, machineRef, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { firstRow, rows } from '../../../clickhouse/client/rows.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import { alarmCodeOf, type IdentifiedAlarm } from '../../../schema/alarm-instance.ts'
import { fieldError, validationError } from '../../../schema/errors.ts'
import { slotOf } from '../../../shared/time/units.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { QueryContext } from '../query/query.ts'
import type { CompanyView } from '../company/company-view.ts'
import { beforeAllIds, compileCandidates, compileStartOf, type InstanceCursor } from './compile.ts'
import { findEnds, type OpenInstance, readElements } from './elements.ts'
import { counts, matchesNothing, type AlarmInstancesPlan } from './plan.ts'

/** An alarm instance of the page. */
export interface FoundInstance {
  readonly instance: IdentifiedAlarm
  readonly machine: MachineRecord
  /** UTC ms; null: it is active. */
  readonly endMs: number | null
}

/** An instance that has an id, with the hours in which its elements must be if it exists. */
interface Candidate extends OpenInstance {
  readonly instance: IdentifiedAlarm
  readonly machine: MachineRecord
}

/** A candidate that exists. `endMs`: its end in the document of its first hour (UTC ms); null: ongoing. */
interface Existing extends Candidate {
  readonly endMs: number | null
}

/** Rows beyond the limit, for instances that no longer exist; and the maximum number of rows of one query. */
const spareRows = 20
const maxRows = 2000

/** The instances of a page, in its order. Reads what the page shows, however long the history is. */
export async function readInstances(
  plan: AlarmInstancesPlan,
  view: CompanyView,
  queries: QueryContext,
): Promise<readonly FoundInstance[]> {
  const page = await readPage(plan, view, queries)
  const open = page.filter(({ endMs }) => endMs === null)
  const ends = await findEnds(plan.companyRef, open, queries)
  return page.map(existing => ({
    instance: existing.instance,
    machine: existing.machine,
    endMs: shownEnd(existing.endMs ?? ends.get(existing) ?? null, existing.machine, plan.nowMs),
  }))
}

async function readPage(plan: AlarmInstancesPlan, view: CompanyView, queries: QueryContext): Promise<Existing[]> {
  const page: Existing[] = []
  let cursor = await firstCursor(plan, queries)
  if (matchesNothing(plan)) return page
  let limit = plan.limit + spareRows
  for (;;) {
    const { instances, read } = await readCandidates(plan, cursor, limit, queries)
    const existing = await keepExisting(plan, candidatesOf(instances, plan, view), queries)
    page.push(...existing.slice(0, plan.limit - page.length))
    const last = instances.at(-1)
    if (page.length >= plan.limit || read < limit || !last) return page
    cursor = last
    limit = Math.min(limit * 4, maxRows)
  }
}

/** Rejects with an `ApiError` 400 if no instance ever had the start id. */
async function firstCursor(
  { from, orderBy, companyRef }: AlarmInstancesPlan,
  { store, options }: QueryContext,
): Promise<InstanceCursor> {
  if (from.form === 'start') return { startMs: from.startMs, id: beforeAllIds }
  if (orderBy === 'id') return { startMs: 0, id: from.startId }
  const start = await firstRow(store, compileStartOf(companyRef, from.startId), { startMs: wide }, options)
  if (start !== null) return { startMs: start.startMs, id: from.startId }
  throw validationError([fieldError('startId', 'InvalidDataItem', `No alarm ever had the id ${from.startId}`)])
}

/** Reads the next instances that have an id, each once: the latest version. `read`: the number of rows. */
async function readCandidates(
  plan: AlarmInstancesPlan,
  cursor: InstanceCursor,
  limit: number,
  { store, options }: QueryContext,
): Promise<{ readonly instances: readonly IdentifiedAlarm[]; readonly read: number }> {
  const found = await rows(store, compileCandidates(plan, cursor, limit), candidateShape, options)
  const latest = new Map<number, (typeof found)[number]>()
  for (const row of found) {
    const known = latest.get(row.id)
    if (known === undefined || known.version_text < row.version_text) latest.set(row.id, row)
  }
  const instances = [...latest.values()].map(({ id, machineRef, key, nativeCode, level, startMs }) => ({
    id,
    machineRef,
    key,
    nativeCode,
    level,
    startMs,
    message: '',
  }))
  return { instances, read: found.length }
}

const candidateShape = {
  id: narrow,
  machineRef,
  key: storedText,
  nativeCode: storedText,
  level: levelCodes.kind,
  startMs: wide,
  version_text: big,
} as const

/** Returns the instances of machines in service, with the hours that may contain them. */
function candidatesOf(
  instances: readonly IdentifiedAlarm[],
  { nowMs }: AlarmInstancesPlan,
  view: CompanyView,
): readonly Candidate[] {
  return instances.flatMap(instance => {
    const machine = view.machine(instance.machineRef)
    if (!machine) return []
    const fromMs = Math.max(instance.startMs, instantMs(machine.commissionedAt) ?? -Infinity)
    const toMs = instantMs(machine.decommissionedAt) ?? Infinity
    if (fromMs > nowMs || fromMs >= toMs) return []
    return [{ instance, machine, firstSlotMs: slotOf(fromMs), lastSlotMs: slotOf(Math.min(nowMs, toMs - 1)) }]
  })
}

/** Returns the candidates that documents contain and that match the native codes of the plan, with their messages. */
async function keepExisting(
  plan: AlarmInstancesPlan,
  candidates: readonly Candidate[],
  queries: QueryContext,
): Promise<readonly Existing[]> {
  const hours = candidates.map(({ instance, firstSlotMs }) => ({ instance, slotMs: firstSlotMs }))
  const elements = await readElements(plan.companyRef, hours, queries)
  return candidates.flatMap(candidate => {
    const element = elements.of(candidate.instance, candidate.firstSlotMs)
    if (!element) return []
    const instance = { ...candidate.instance, message: element.message }
    return counts(plan.natives, alarmCodeOf(instance)) ? [{ ...candidate, instance, endMs: element.endMs }] : []
  })
}

/** The shown end, UTC ms: no later than the machine is decommissioned; null: not ended by now. */
function shownEnd(endMs: number | null, { decommissionedAt }: MachineRecord, nowMs: number): number | null {
  const boundMs = Math.min(endMs ?? Infinity, instantMs(decommissionedAt) ?? Infinity)
  return boundMs <= nowMs ? boundMs : null
}

function instantMs(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}
