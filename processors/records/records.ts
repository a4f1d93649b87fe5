import { type Change, changeBetween } from '../../schema/records/record-kinds.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { maxSignInMs } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import type { MemoryLimits, MemoryStart } from '../../schema/commands/stored-records.ts'
import { ReachedOffset } from '../../shared/async/reached-offset.ts'
import { runCooperatively, runSync, type Steps } from '../../shared/async/steps.ts'
import { AlertBounds } from './alert-bounds.ts'
import { isTimedKind, type TimedRecord } from './machine-histories.ts'
import { type LeavingRecord, MemoryBounds, type TimedMemoryStart } from './memory-bounds.ts'
import { type ChangeListener, type EntryListener, RecordListeners } from './record-listeners.ts'
import { companyOfOperations } from './record-tables.ts'
import { RecordLookups } from './record-lookups.ts'

/** Number of changes above which `applyCooperatively` yields to the event loop. */
const manyChanges = 500

/**
 * The records in memory; every process follows records.v1. Records with a time (`MachineHistories`) are only in memory
 * while they are recent or in force (`MemoryBounds`), job operations while they are among those that changed last, and
 * records of the other kinds always. Records are immutable: a change creates a new object.
 */
export class Records extends RecordLookups {
  readonly #reached = new ReachedOffset()
  #commandOffset = -1
  #lastRun = 0
  readonly #bounds: MemoryBounds | null
  readonly #maxOperations: number
  readonly #alertBounds: AlertBounds
  #hasAllOperations = true
  readonly #listeners = new RecordListeners()

  /** `limits`: of the records that stay in memory; null: all of them. */
  constructor(limits: MemoryLimits | null = null) {
    super()
    const maxSignInMsOf = (companyId: string) =>
      maxSignInMs(this.company(companyId)?.settings ?? { operatorMaxHours: 0 })
    this.#maxOperations = limits?.maxOperations ?? Infinity
    this.#alertBounds = new AlertBounds(this.tables, limits)
    this.#bounds = limits && new MemoryBounds({ limits, histories: this.indexes.histories, maxSignInMsOf })
  }

  /** Offset of the last applied entry; -1 if none was applied. */
  get offset(): number {
    return this.#reached.value
  }

  /** `commandOffset` of the last entry whose changes were applied; -1 if there is none. */
  get commandOffset(): number {
    return this.#commandOffset
  }

  /** Highest ref of a job run of any company, deleted ones included; 0 if there was none. */
  get lastRun(): number {
    return this.#lastRun
  }

  /** From when on the records with a time are in memory. */
  get memoryStart(): MemoryStart {
    const traits = () => [...this.indexes.companyByRef.values()].map(({ id }) => [id, this.jobOperations(id)] as const)
    const storedOperations = this.#hasAllOperations ? null : new Map(traits())
    return { ...(this.#bounds?.start ?? allInMemory), storedOperations, settledFromMs: this.settledFromMs }
  }

  /** Whether all job operations are in memory. */
  get hasAllOperations(): boolean {
    return this.#hasAllOperations
  }

  /**
   * Start of the time whose records with a time are in memory, with those in force at it, UTC ms; -Infinity: all of
   * them are.
   */
  get horizonMs(): number {
    return this.#bounds?.horizonMs ?? -Infinity
  }

  /** Returns the time from which all records of a machine are in memory, UTC ms; -Infinity: all of its records. */
  inMemoryFromMs(machine: Pick<MachineRecord, 'id' | 'companyId'>): number {
    return this.#bounds?.inMemoryFromMs(machine) ?? -Infinity
  }

  /** Returns the time from which the job runs of a machine are in memory, with the one in force then, UTC ms. */
  runsInMemoryFromMs(machineId: string): number {
    return this.#bounds?.runsInMemoryFromMs(machineId) ?? -Infinity
  }

  /** Returns the time from which the sign-ins in force of a company are in memory, UTC ms; -Infinity: all of them. */
  signInsInMemoryFromMs(companyId: string): number {
    return this.#bounds?.signInsInMemoryFromMs(companyId) ?? -Infinity
  }

  /**
   * Applies an entry of records.v1. Repeated entries are skipped: those at or below `offset`, and those whose command
   * offset does not increase.
   */
  apply(entry: RecordEntry, offset: number): void {
    if (offset <= this.offset) return
    // Callers that wait continue after all changes, in a later microtask.
    this.#reached.reach(offset)
    if (entry.commandOffset > this.#commandOffset) this.#applyChanges(entry, offset)
  }

  /**
   * Does the same as `apply`, but yields to the event loop while it applies the many job operations of an import.
   * Readers see the previous state until all are applied. No other entry may be applied meanwhile.
   */
  async applyCooperatively(entry: RecordEntry, offset: number): Promise<void> {
    const companyId = entry.changes.length > manyChanges ? companyOfOperations(entry.changes) : null
    if (companyId === null || offset <= this.offset || entry.commandOffset <= this.#commandOffset)
      return this.apply(entry, offset)
    const operations = await runCooperatively(this.tables.jobOperations.withChanges(companyId, entry.changes))
    this.tables.jobOperations.replace(companyId, operations)
    await runCooperatively(this.#limitOperations())
    this.#reached.reach(offset)
    this.#commandOffset = entry.commandOffset
    this.#listeners.applied(entry, offset)
  }

  /**
   * Sets a record to its state after a change, from any state, without a call of listeners. Used to load the records,
   * until `continueAfter` is called.
   */
  restore({ kind, id, before: previous, after }: Change): void {
    const record = after ?? previous
    const before = record && this.tables.of(kind).get(companyOf(record), id)
    if (!before && !after) return
    const change = changeBetween(kind, id, before, after)
    this.tables.store(change)
    this.#index(change)
  }

  /** Begins the restoration: the records with a time are those from this time on. */
  restoreFrom(start: MemoryStart): void {
    this.#bounds?.continueFrom(start)
    this.#alertBounds.continueFrom(start.settledFromMs)
    if (start.storedOperations) this.#hasAllOperations = false
    for (const [companyId, traits] of start.storedOperations ?? [])
      this.tables.jobOperations.addTraits(companyId, traits)
  }

  /** Ends the restoration: the records are in the state after the entry at `offset`. */
  continueAfter({ offset, commandOffset, highestRefs }: ProjectedPosition): void {
    this.#reached.reach(offset)
    this.#commandOffset = commandOffset
    this.#lastRun = Math.max(this.#lastRun, highestRefs['jobRun'] ?? 0)
    this.#bounds?.restored()
    runSync(this.#limitOperations())
  }

  /**
   * Adds a listener of every change, in order, except changes of job operations; returns a function that removes it.
   */
  onChange(listener: ChangeListener): () => void {
    return this.#listeners.onChange(listener)
  }

  /** Adds a listener of every entry, in order; returns a function that removes it. */
  onEntry(listener: EntryListener): () => void {
    return this.#listeners.onEntry(listener)
  }

  /** Resolves when the entry at `offset` has been applied. */
  waitFor(offset: number): Promise<void> {
    return this.#reached.waitFor(offset)
  }

  /** The incidents that were settled at this instant or later are in memory, UTC ms; -Infinity: all incidents. */
  get settledFromMs(): number {
    return this.#alertBounds.settledFromMs
  }

  #applyChanges(entry: RecordEntry, offset: number): void {
    this.#commandOffset = entry.commandOffset
    for (const change of entry.changes) {
      this.tables.store(change)
      this.#index(change)
      if (change.kind !== 'jobOperation') this.#listeners.changed(change, offset)
    }
    this.#remove(this.#bounds?.afterEntry(entry.command.nowMs, this.indexes.machines.size) ?? [])
    this.#alertBounds.afterEntry(entry.command.nowMs)
    runSync(this.#limitOperations())
    this.#listeners.applied(entry, offset)
  }

  *#limitOperations(): Steps<void> {
    const { jobOperations } = this.tables
    if (jobOperations.size <= this.#maxOperations) return
    this.#hasAllOperations = false
    // A part more, because each removal begins at the first place of the order.
    yield* jobOperations.removeOldest(Math.floor(this.#maxOperations * 0.9))
  }

  /** Updates the indexes of a change, and removes the records that leave memory with it. */
  #index(change: Change): void {
    const { kind, after } = change
    this.indexes.replace(change)
    if (kind === 'jobRun') this.#lastRun = Math.max(this.#lastRun, after?.ref ?? 0)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of this kind
    if (after && isTimedKind(kind)) this.#remove(this.#bounds?.afterChange(kind, after as TimedRecord) ?? [])
  }

  /** Removes records that need not stay in memory. */
  #remove(leaving: readonly LeavingRecord[]): void {
    for (const { kind, record } of leaving) {
      const change = changeBetween(kind, record.id, record, null)
      this.tables.store(change)
      this.#index(change)
    }
  }
}

const allInMemory: TimedMemoryStart = {
  horizonMs: -Infinity,
  signInsAfterMs: new Map(),
  firstRuns: new Map(),
}
