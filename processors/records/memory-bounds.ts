import type { MemoryLimits, MemoryStart, RunPosition } from '../../schema/commands/stored-records.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { RecordKinds } from '../../schema/records/record-kinds.ts'
import { type TimedKindName, timedKindNames } from '../../schema/records/timed-records.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { isCancelled } from './effective-runs.ts'
import { compareRuns, type MachineHistories, startAtOf, type TimedRecord } from './machine-histories.ts'

/** Limits of the service. */
export const memoryLimits: MemoryLimits = {
  maxAgeMs: 3 * dayMs,
  minAgeMs: 2 * hourMs,
  maxRecords: 200_000,
  maxRecordsPerMachine: 10,
  slack: 10_000,
  maxOperations: 50_000,
  // Twice the age of the data that still change incidents.
  incidentAgeMs: 14 * dayMs,
  // About 100 MB.
  maxSettledIncidents: 50_000,
  // The limit of messages per minute counts those of the last minutes.
  deliveryAgeMs: 2 * hourMs,
}

/** Records that leave memory, by kind. */
export interface LeavingRecord {
  readonly kind: TimedKindName
  readonly record: TimedRecord
}

/** From when on the records with a time are in memory. */
export type TimedMemoryStart = Pick<MemoryStart, 'horizonMs' | 'signInsAfterMs' | 'firstRuns'>

export interface MemoryBoundsDeps {
  readonly limits: MemoryLimits
  readonly histories: MachineHistories
  /** Returns the maximum duration of a sign-in of a company, ms. */
  readonly maxSignInMsOf: (companyId: string) => number
}

/**
 * Decides which records with a time stay in memory: those that start after the horizon, those in force at it, and
 * annotations that end with a stop. The horizon moves when many records were added. The other records are in the store.
 */
export class MemoryBounds {
  readonly #deps: MemoryBoundsDeps
  #horizonMs = -Infinity
  #horizonAt = ''
  #signInsAfterMs = new Map<string, number>()
  /** By machine: the first run before the horizon that was kept. All later runs of the machine are in memory. */
  #firstRuns = new Map<string, RunPosition>()
  #nextSize: number

  constructor(deps: MemoryBoundsDeps) {
    this.#deps = deps
    this.#nextSize = deps.limits.slack
  }

  get horizonMs(): number {
    return this.#horizonMs
  }

  get start(): TimedMemoryStart {
    return {
      horizonMs: this.#horizonMs,
      signInsAfterMs: new Map(this.#signInsAfterMs),
      firstRuns: new Map(this.#firstRuns),
    }
  }

  /** Continues from records that were restored from the store or from other memory. Call it before they are added. */
  continueFrom({ horizonMs, signInsAfterMs, firstRuns }: TimedMemoryStart): void {
    this.#setHorizon(horizonMs)
    this.#signInsAfterMs = new Map(signInsAfterMs)
    this.#firstRuns = new Map(firstRuns)
  }

  /** Returns the time from which all records of a machine are in memory, UTC ms; -Infinity: all. */
  inMemoryFromMs({ id, companyId }: { readonly id: string; readonly companyId: string }): number {
    if (this.#horizonMs === -Infinity) return -Infinity
    return Math.max(this.#horizonMs, this.#runsFromMs(id), this.signInsInMemoryFromMs(companyId))
  }

  /** Returns the time from which the sign-ins in force of a company are in memory, UTC ms. */
  signInsInMemoryFromMs(companyId: string): number {
    const afterMs = this.#signInsAfterMs.get(companyId) ?? -Infinity
    return Math.max(this.#horizonMs, afterMs + this.#deps.maxSignInMsOf(companyId))
  }

  /** Returns the records of a machine that need not stay in memory after a record was added or changed. */
  afterChange(kind: TimedKindName, record: TimedRecord): readonly LeavingRecord[] {
    return startAtOf(record) < this.#horizonAt ? this.#leaving(kind, record.machineId) : []
  }

  /** Ends the restoration: the horizon stays until there are more records. */
  restored(): void {
    this.#limitSize(this.#deps.histories.size)
  }

  /** Returns the records that need not stay in memory, if there are many more than before. */
  afterEntry(nowMs: number, machineCount: number): readonly LeavingRecord[] {
    const { histories, limits } = this.#deps
    const { maxAgeMs, minAgeMs, maxRecords, maxRecordsPerMachine } = limits
    if (histories.size <= this.#nextSize) return []
    const most = Math.max(maxRecords, maxRecordsPerMachine * machineCount)
    const byNumber = Math.min(nowMs - minAgeMs, startOfLast(histories, most))
    this.#setHorizon(Math.max(this.#horizonMs, nowMs - maxAgeMs, byNumber))
    const leaving = timedKindNames.flatMap(kind =>
      [...histories[kind].machineIds()].flatMap(machineId => this.#leaving(kind, machineId)),
    )
    this.#limitSize(histories.size - leaving.length)
    return leaving
  }

  #limitSize(size: number): void {
    this.#nextSize = size * 1.25 + this.#deps.limits.slack
  }

  #setHorizon(ms: number): void {
    this.#horizonMs = ms
    this.#horizonAt = ms === -Infinity ? '' : instantText(ms)
  }

  /** Returns the time from which the job runs of a machine are in memory, with the one in force then, UTC ms. */
  runsInMemoryFromMs(machineId: string): number {
    return Math.max(this.#horizonMs, this.#runsFromMs(machineId))
  }

  #runsFromMs(machineId: string): number {
    if (!this.#firstRuns.has(machineId)) return -Infinity
    const first = this.#deps.histories.jobRun.of(machineId).find(run => !isCancelled(run))
    return first ? Date.parse(first.startAt) : Infinity
  }

  #leaving(kind: TimedKindName, machineId: string): readonly LeavingRecord[] {
    const older = this.#deps.histories.before(kind, machineId, this.#horizonAt)
    if (older.length === 0) return []
    if (kind === 'jobRun') return this.#leavingRuns(machineId)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the records are of the kind
    const stays = staying[kind] as Staying<TimedRecord>
    const inForce = stays(older, { horizonAt: this.#horizonAt, signInsAfter: id => this.#limitSignIns(id) })
    return older.filter(record => !inForce.includes(record)).map(record => ({ kind, record }))
  }

  /**
   * All runs before the horizon leave memory, except the last one that was not cancelled, even if it has ended: it ends
   * the runs before it. Runs before the first one that was kept leave memory, too: others between them may be missing.
   */
  #leavingRuns(machineId: string): readonly LeavingRecord[] {
    const { jobRun } = this.#deps.histories
    const older = jobRun.of(machineId).filter(run => run.startAt < this.#horizonAt)
    const first = this.#firstRuns.get(machineId)
    const last = older.findLast(run => !isCancelled(run) && (!first || compareRuns(run, first) >= 0))
    if (last) this.#firstRuns.set(machineId, { startAt: last.startAt, startSequence: last.startSequence })
    return older.filter(run => run !== last).map(record => ({ kind: 'jobRun', record }))
  }

  /** Returns the time after which the sign-ins in force stay in memory, as ISO text. */
  #limitSignIns(companyId: string): string {
    const afterMs = this.#horizonMs - this.#deps.maxSignInMsOf(companyId)
    const limitMs = this.#signInsAfterMs.get(companyId) ?? -Infinity
    this.#signInsAfterMs.set(companyId, Math.max(limitMs, afterMs))
    return instantText(afterMs)
  }
}

interface Limits {
  readonly horizonAt: string
  readonly signInsAfter: (companyId: string) => string
}

/** Returns those of a machine's records before the horizon that stay in memory. */
type Staying<R> = (older: readonly R[], limits: Limits) => readonly R[]

const staying: { readonly [K in Exclude<TimedKindName, 'jobRun'>]: Staying<RecordKinds[K]> } = {
  operatorRun: (runs, limits) =>
    runs.filter(run => isOpen(run, limits) && run.startAt > limits.signInsAfter(run.companyId)),
  annotation: (annotations, limits) =>
    annotations.filter(annotation => annotation.endsWithStop === true || isOpen(annotation, limits)),
  partAdjustment: () => [],
}

function isOpen({ endAt }: AnnotationRecord | OperatorRunRecord, { horizonAt }: Limits): boolean {
  return endAt === null || endAt > horizonAt
}

/** Returns the start of the record with which the last `count` records begin, UTC ms; -Infinity: there are not more. */
function startOfLast(histories: MachineHistories, count: number): number {
  if (histories.size <= count) return -Infinity
  const starts = Float64Array.from(histories.starts(), startAt => Date.parse(startAt)).sort()
  return starts.at(-count) ?? -Infinity
}
