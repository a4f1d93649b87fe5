import { machineRef, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { second, sql } from '../../../clickhouse/sql/sql.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { from, ofMachines } from '../../../clickhouse/tables/from.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { initialState, type MachineState, parseState } from '../../../processors/timeline/state.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { MachineInputCache } from '../../../processors/records/machine-input-cache.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { type HourDocument } from '../../../schema/document.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import { type ApiError, unavailable } from '../../../schema/errors.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { QueryContext } from '../query/query.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** Number of hours for which a report computes missing documents; if more are missing, the report is rejected. */
export const provisionalHours = 2

/** The 503 if documents of more than `provisionalHours` are missing. */
export function reportsAreBehind(): ApiError {
  return unavailable('The reports are behind by more than two hours')
}

/** Documents that a report reads, up to the last hour of the range. */
export interface ProvisionalScope {
  readonly companyRef: CompanyRef
  readonly range: TimeRange
  /** Refs; null: all. */
  readonly machines: readonly MachineRef[] | null
}

/** Inputs of provisional documents beside the store. */
export interface ProvisionalDeps {
  readonly written: WrittenHours
  readonly machineInputs: Pick<MachineInputCache, 'read'>
}

/** Computes the documents that the store lacks; null: none. Rejects with 503 if the processors lag too far. */
export async function buildProvisionalDocuments(
  scope: ProvisionalScope,
  view: CompanyView,
  deps: ProvisionalDeps & QueryContext,
): Promise<readonly HourDocument[] | null> {
  const missing = await findMissing(scope, view, deps)
  return missing.length === 0 ? null : computeDocuments(scope, missing, deps)
}

/**
 * Finds the machines that must have a document of the report's last hour and have none, because the processors are down
 * or have not reached a new machine. Reads that hour by one cheap query as long as any is missing.
 */
async function findMissing(
  scope: ProvisionalScope,
  view: CompanyView,
  { store, written, options }: ProvisionalDeps & QueryContext,
): Promise<readonly MachineRecord[]> {
  const { range, companyRef } = scope
  if (range.startMs >= range.endMs) return []
  const slotMs = lastSlot(scope)
  const hour = written.of(companyRef, slotMs)
  if (hour.wholeFor === view.machines) return []
  const known = hour.machines
  const [startText, endText, endOfHour] = [isoText(slotMs), isoText(range.endMs), isoText(slotMs + hourMs)]
  const unseen = view.machines.filter(machine => !known.has(machine.ref) && hasTime(machine, startText, endOfHour))
  if (unseen.length === 0) hour.wholeFor = view.machines
  const wanted = scope.machines && new Set(scope.machines)
  const open = unseen.filter(machine => (!wanted || wanted.has(machine.ref)) && hasTime(machine, startText, endText))
  if (open.length === 0) return []
  const query = sql`SELECT DISTINCT machine AS machineRef ${from(hours, companyRef, { where: [sql`slot = ${second(slotMs)}`] })}`
  for (const found of await rows(store, query, { machineRef }, options)) known.add(found.machineRef)
  return open.filter(({ ref }) => !known.has(ref))
}

/**
 * Computes the documents of these machines up to the last hour of the report, without new samples since the last stored
 * one. Rejects with 503 if that one is more than `provisionalHours` before. A machine that was created later does not
 * cause a rejection: documents of its past may still be computed.
 */
async function computeDocuments(
  scope: ProvisionalScope,
  machines: readonly MachineRecord[],
  deps: ProvisionalDeps & QueryContext,
): Promise<readonly HourDocument[]> {
  const slotMs = lastSlot(scope)
  const oldestMs = slotMs - provisionalHours * hourMs
  const [states, inputsOf] = await Promise.all([
    lastStates(scope, machines, oldestMs, deps),
    deps.machineInputs.read(machines, { fromMs: oldestMs, toMs: slotMs + hourMs }),
  ])
  return machines.flatMap(machine => {
    const inputs = inputsOf.get(machine.ref)
    if (!inputs) return []
    const last = states.get(machine.ref)
    if (last) return documentsAfter(inputs, last.slotMs, parseState(last.state), slotMs)
    const { createdMs, fromMs } = inputs.commissioned
    if (createdMs < oldestMs) throw reportsAreBehind()
    const startMs = slotOf(fromMs ?? createdMs)
    return startMs > oldestMs ? documentsAfter(inputs, startMs - hourMs, initialState(), slotMs) : []
  })
}

async function lastStates(
  scope: ProvisionalScope,
  missing: readonly MachineRecord[],
  fromMs: number,
  { store, options }: QueryContext,
) {
  const machines = ofMachines(missing.map(({ ref }) => ref))
  const where = [sql`slot >= ${second(fromMs)} AND slot < ${second(lastSlot(scope))}`, machines]
  const found = await rows(
    store,
    sql`
SELECT machine AS machineRef, toInt64(toUnixTimestamp(max(slot))) * 1000 AS slotMs, argMax(state_out, (slot, version)) AS state
${from(hours, scope.companyRef, { where })}
GROUP BY machine`,
    { machineRef, slotMs: wide, state: storedText },
    options,
  )
  return new Map(found.map(({ machineRef, ...last }) => [machineRef, last]))
}

function documentsAfter(inputs: MachineInputs, slotMs: number, stateIn: MachineState, lastMs: number): HourDocument[] {
  if (slotMs >= lastMs) return []
  const { document, stateOut } = computeHour(inputs, slotMs + hourMs, stateIn, [], [])
  return [document, ...documentsAfter(inputs, slotMs + hourMs, stateOut, lastMs)]
}

/** Whether the machine surely has time in the range. Instants in records are UTC texts of one form, which compare as they are. */
function hasTime({ commissionedAt, createdAt, decommissionedAt }: MachineRecord, from: string, to: string): boolean {
  return (commissionedAt ?? createdAt) < to && (decommissionedAt === null || decommissionedAt > from)
}

function lastSlot({ range }: ProvisionalScope): number {
  return slotOf(range.endMs - 1)
}

/** Maximum number of cached hours of all companies: most reports end in the same few. */
const maxHours = 64

/** Machines of a company whose document of one hour is in the store. */
interface WrittenHour {
  readonly machines: Set<number>
  /** The company's machines when all of them with time in the hour had a document; null: not yet. */
  wholeFor: readonly MachineRecord[] | null
}

/** Caches which documents of an hour are in the store: they are never removed, so most reports send no query for them. */
export class WrittenHours {
  readonly #hours = new Map<string, WrittenHour>()

  of(companyRef: CompanyRef, slotMs: number): WrittenHour {
    const key = `${companyRef}/${slotMs}`
    const hour = this.#hours.get(key) ?? { machines: new Set(), wholeFor: null }
    this.#hours.delete(key)
    this.#hours.set(key, hour)
    const [oldest] = this.#hours.keys()
    if (this.#hours.size > maxHours && oldest !== undefined) this.#hours.delete(oldest)
    return hour
  }
}
