import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../../schema/records/record-kinds.ts'
import { type CompanyRecord, maxSignInMs } from '../../schema/records/company.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import type { MachineStarts, StartsFilter } from '../../schema/records/timed-records.ts'
import type { Range } from '../timeline/commission.ts'
import type { AffectedHours } from './affected.ts'
import type { RecordHistory } from './record-history.ts'
import type { Records } from './records.ts'

type ReadHours = () => Promise<readonly AffectedHours[]>

/**
 * Returns a function that reads which hours a change invalidates as far as that depends on records that are not in
 * memory: `findAffectedHours` leaves them out. null: on none. The hours may be more than those whose content changes.
 * The store may contain later changes: together, the hours of all changes contain all that differ. Call it in an
 * `onChange` listener.
 */
export function affectedHistory(change: Change, records: Records, history: RecordHistory): ReadHours | null {
  if (change.kind === 'jobRun') return byJobRun(change.before, change.after, records, history)
  if (change.kind === 'company') return byCompany(change.before, change.after, records, history)
  if (change.kind === 'partAdjustmentType') return byAdjustmentType(change.before, change.after, records, history)
  return null
}

/** A run affects the time from its start to that of the next effective run, also if the run before it lasts longer. */
function byJobRun(
  before: JobRunRecord | null,
  after: JobRunRecord | null,
  records: Records,
  history: RecordHistory,
): ReadHours | null {
  const run = after ?? before
  const machine = run && records.machine(run.machineId)
  if (!machine || (before && after && isDeepStrictEqual(timeOf(before), timeOf(after)))) return null
  const starts = [before, after].flatMap(each => (each ? [Date.parse(each.startAt)] : []))
  const fromMs = Math.min(...starts)
  if (fromMs >= history.inMemoryFromMs(machine)) return null
  return async () => {
    const toMs = await history.readNextRunStart(machine.companyId, machine.id, Math.max(...starts))
    return [{ machineRef: machine.ref, fromMs, toMs, what: 'calendar' }]
  }
}

/** Returns the fields of a run on which documents depend. */
function timeOf({ startAt, endAt, startSequence, startInSetup, productionAt }: JobRunRecord) {
  return { startAt, endAt, startSequence, startInSetup, productionAt }
}

function byCompany(
  before: CompanyRecord | null,
  after: CompanyRecord | null,
  records: Records,
  history: RecordHistory,
): ReadHours | null {
  if (!before || !after) return null
  const [old, now] = [before.settings, after.settings]
  const reads: ReadHours[] = []
  const read = (filter: StartsFilter, rangeOf: (starts: MachineStarts) => Range) => {
    const hours = byStarts(after.id, records, history, filter, rangeOf)
    if (hours) reads.push(hours)
  }
  if (old.autoProduction !== now.autoProduction)
    read({ kind: 'setupRuns' }, ({ firstMs }) => ({ fromMs: firstMs, toMs: Infinity }))
  if (old.operatorMaxHours !== now.operatorMaxHours) {
    const [shorter, longer] = [maxSignInMs(old), maxSignInMs(now)].sort((a, b) => a - b)
    read({ kind: 'longSignIns', longerThanMs: shorter ?? 0 }, ({ firstMs, lastMs }) => ({
      fromMs: firstMs + (shorter ?? 0),
      toMs: lastMs + (longer ?? 0),
    }))
  }
  return reads.length === 0 ? null : async () => (await Promise.all(reads.map(each => each()))).flat()
}

function byAdjustmentType(
  before: PartAdjustmentTypeRecord | null,
  after: PartAdjustmentTypeRecord | null,
  records: Records,
  history: RecordHistory,
): ReadHours | null {
  const type = after ?? before
  if (!type || before?.rejectBehavior === after?.rejectBehavior) return null
  const filter = { kind: 'adjustments', categoryId: type.id } as const
  return byStarts(type.companyId, records, history, filter, ({ firstMs, lastMs }) => ({
    fromMs: firstMs,
    toMs: lastMs + 1,
  }))
}

/** Reads the hours of the company's machines whose records are not all in memory. */
function byStarts(
  companyId: string,
  records: Records,
  history: RecordHistory,
  filter: StartsFilter,
  rangeOf: (starts: MachineStarts) => Range,
): ReadHours | null {
  const machines = new Map(
    records
      .machines(companyId)
      .filter(machine => history.inMemoryFromMs(machine) > -Infinity)
      .map(({ id, ref }) => [id, ref]),
  )
  if (machines.size === 0) return null
  return async () => {
    const found = await history.readStarts(companyId, filter)
    return found.flatMap(starts => {
      const machineRef = machines.get(starts.machineId)
      if (machineRef === undefined) return []
      const { fromMs, toMs } = rangeOf(starts)
      return [{ machineRef, fromMs, toMs: toMs === Infinity ? null : toMs, what: 'calendar' as const }]
    })
  }
}
