import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import { type Change, changeBetween, type RecordKind, type RecordKinds } from '../../schema/records/record-kinds.ts'
import type { ClaimRecord } from '../../schema/records/claim.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { type CompanyRecord, maxSignInMs } from '../../schema/records/company.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import type { MemoryLimits, MemoryStart } from '../../schema/commands/stored-records.ts'
import type { AlertEvaluationRecord } from '../../schema/records/alert-evaluation.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { ReachedOffset } from '../../shared/async/reached-offset.ts'
import { runCooperatively, runSync, type Steps } from '../../shared/async/steps.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { AlertBounds } from './alert-bounds.ts'
import { CredentialIndex } from './credential-index.ts'
import type { JobNames } from '../../schema/records/job-names.ts'
import type { JobOperations } from './job-operations.ts'
import { isTimedKind, MachineHistories, type TimedRecord } from './machine-histories.ts'
import type { DeliveryTable } from './delivery-table.ts'
import type { IncidentTable } from './incident-table.ts'
import { MachineIndex } from './machine-index.ts'
import { type LeavingRecord, MemoryBounds, type TimedMemoryStart } from './memory-bounds.ts'
import { canonicalId, installationKey } from './record-ids.ts'
import { type ChangeListener, type EntryListener, RecordListeners } from './record-listeners.ts'
import { companyOfOperations, type RecordWithKind, RecordTables } from './record-tables.ts'
import { replaceIn } from './replace-in.ts'

/** Kinds of records that belong to a company. */
export type CompanyKind = Exclude<RecordKind, 'company' | 'claim' | 'installation' | 'alertEvaluation'>

/** Number of changes above which `applyCooperatively` yields to the event loop. */
const manyChanges = 500

/**
 * The records in memory; every process follows records.v1. Records with a time (`MachineHistories`) are only in memory
 * while they are recent or in force (`MemoryBounds`), job operations while they are among those that changed last, and
 * records of the other kinds always. Records are immutable: a change creates a new object. Lookups require the company, so that no company sees records of another one; only machines, companies and credentials
 * can be found without it, by values that are unique in the installation. Arrays of a machine's records are live views,
 * valid until the next change.
 */
export class Records {
  readonly #reached = new ReachedOffset()
  #commandOffset = -1
  #lastRun = 0
  readonly #tables = new RecordTables()
  readonly #companyByRef = new Map<number, CompanyRecord>()
  readonly #machines = new MachineIndex()
  readonly #credentials = new CredentialIndex()
  readonly #histories = new MachineHistories()
  readonly #bounds: MemoryBounds | null
  readonly #maxOperations: number
  readonly #alertBounds: AlertBounds
  #hasAllOperations = true
  readonly #listeners = new RecordListeners()

  /** `limits`: of the records that stay in memory; null: all of them. */
  constructor(limits: MemoryLimits | null = null) {
    const maxSignInMsOf = (companyId: string) =>
      maxSignInMs(this.company(companyId)?.settings ?? { operatorMaxHours: 0 })
    this.#maxOperations = limits?.maxOperations ?? Infinity
    this.#alertBounds = new AlertBounds(this.#tables, limits)
    this.#bounds = limits && new MemoryBounds({ limits, histories: this.#histories, maxSignInMsOf })
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
    const traits = () => [...this.#companyByRef.values()].map(({ id }) => [id, this.jobOperations(id)] as const)
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
    const operations = await runCooperatively(this.#tables.jobOperations.withChanges(companyId, entry.changes))
    this.#tables.jobOperations.replace(companyId, operations)
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
    const before = record && this.#tables.of(kind).get(companyOf(record), id)
    if (!before && !after) return
    const change = changeBetween(kind, id, before, after)
    this.#tables.store(change)
    this.#index(change)
  }

  /** Begins the restoration: the records with a time are those from this time on. */
  restoreFrom(start: MemoryStart): void {
    this.#bounds?.continueFrom(start)
    this.#alertBounds.continueFrom(start.settledFromMs)
    if (start.storedOperations) this.#hasAllOperations = false
    for (const [companyId, traits] of start.storedOperations ?? [])
      this.#tables.jobOperations.addTraits(companyId, traits)
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

  /**
   * Returns one record of a company; null if the company has none with this id. UUIDs match in any letter case, except
   * ids of runs, which the ERP assigns.
   */
  get<K extends CompanyKind>(kind: K, companyId: string, id: string | number): RecordKinds[K] | null {
    return this.#tables.of(kind).get(companyId, kind === 'jobRun' ? String(id) : canonicalId(String(id)))
  }

  /** Returns a company's records of a kind, oldest first. */
  list<K extends CompanyKind>(kind: K, companyId: string): readonly RecordKinds[K][] {
    return this.#tables.of(kind).list(companyId)
  }

  /** Returns the installation to which the log belongs; null if the log is empty. */
  installation(): InstallationRecord | null {
    return this.#tables.of('installation').get('', installationKey)
  }

  company(id: string): CompanyRecord | null {
    return this.#tables.of('company').get('', id)
  }

  companyByRef(ref: CompanyRef): CompanyRecord | null {
    return this.#companyByRef.get(ref) ?? null
  }

  /** Returns all companies by ascending ref. */
  companies(): readonly CompanyRecord[] {
    return [...this.#companyByRef.values()].sort((a, b) => a.ref - b.ref)
  }

  /** Returns the company that was created first: no other one has rules on the system, or a simulated plant. null: none exists. */
  firstCompany(): CompanyRecord | null {
    return this.companies()[0] ?? null
  }

  /** Returns the machine with this id (a UUID in any letter case), of any company. */
  machine(id: string): MachineRecord | null {
    return this.#machines.byId(id)
  }

  machineByRef(ref: MachineRef): MachineRecord | null {
    return this.#machines.byRef(ref)
  }

  /** Returns all machines of the installation. */
  allMachines(): IterableIterator<MachineRecord> {
    return this.#machines.all()
  }

  /** Returns a company's machines, including decommissioned ones, by name, then id. */
  machines(companyId: string): readonly MachineRecord[] {
    return this.#machines.byName(companyId, () => this.list('machine', companyId))
  }

  /** Returns the machine with an ERP id: the one in service, otherwise the most recently decommissioned one. */
  machineByErpId(companyId: string, erpMachineId: string): MachineRecord | null {
    return this.#machines.byErpId(companyId, erpMachineId)
  }

  /** Returns the ids of a group's machines. */
  machinesOfGroup(companyId: string, groupId: string): ReadonlySet<string> {
    return this.#machines.ofGroup(companyId, canonicalId(groupId))
  }

  keyByHash(hash: string): KeyRecord | null {
    return this.#credentials.keyByHash(hash)
  }

  keyById(id: string): KeyRecord | null {
    return this.#credentials.keyById(id)
  }

  userById(id: string): UserRecord | null {
    return this.#credentials.userById(id)
  }

  /** Returns the users of all companies with this email address, in any letter case: at most one per company. */
  usersByEmail(email: string): readonly UserRecord[] {
    return this.#credentials.usersByEmail(email)
  }

  sessionById(id: string): SessionRecord | null {
    return this.#credentials.sessionById(id)
  }

  /** Returns the schedule of a machine; null if it has none, so that all time is scheduled. */
  scheduleOf(machine: MachineRecord): ScheduleRecord | null {
    return machine.scheduleId === null ? null : this.get('schedule', machine.companyId, machine.scheduleId)
  }

  jobOperation(companyId: string, names: JobNames): JobOperationRecord | null {
    return this.jobOperations(companyId).byNames(names)
  }

  /** Returns a company's job operations; valid until the next change. */
  jobOperations(companyId: string): JobOperations {
    return this.#tables.jobOperations.of(companyId)
  }

  /** Returns a machine's job runs as reported, by (startAt, startSequence). */
  runsOf(machineId: string): readonly JobRunRecord[] {
    return this.#histories.jobRun.of(machineId)
  }

  /** Returns a machine's sign-ins by startAt. */
  operatorRunsOf(machineId: string): readonly OperatorRunRecord[] {
    return this.#histories.operatorRun.of(machineId)
  }

  /** Returns a machine's annotations by startAt; they do not overlap. */
  annotationsOf(machineId: string): readonly AnnotationRecord[] {
    return this.#histories.annotation.of(machineId)
  }

  /** Returns a machine's part adjustments by adjustmentTime. */
  adjustmentsOf(machineId: string): readonly PartAdjustmentRecord[] {
    return this.#histories.partAdjustment.of(machineId)
  }

  /** The incidents that were settled at this instant or later are in memory, UTC ms; -Infinity: all incidents. */
  get settledFromMs(): number {
    return this.#alertBounds.settledFromMs
  }

  /** The incidents that are not settled, and recent ones. */
  get incidents(): Pick<IncidentTable, 'ofSubject' | 'ofType' | 'unresolvedCount'> {
    return this.#tables.incidents
  }

  /** The undecided deliveries, and recent ones. */
  get deliveries(): Pick<DeliveryTable, 'dueFrom' | 'undecidedOfTarget' | 'targetsWithUndecided'> {
    return this.#tables.deliveries
  }

  /** Returns how far the rules of a partition are evaluated; null: not yet. */
  alertEvaluation(id: string): AlertEvaluationRecord | null {
    return this.#tables.of('alertEvaluation').get('', id)
  }

  /** Returns how far the rules of each partition are evaluated. */
  alertEvaluations(): readonly AlertEvaluationRecord[] {
    return [...this.#tables.of('alertEvaluation').all()]
  }

  claim(id: string): ClaimRecord | null {
    return this.#tables.of('claim').get('', id)
  }

  /** Returns every record of every kind. */
  allRecords(): Generator<RecordWithKind> {
    return this.#tables.allRecords()
  }

  /** Returns the rebuilds of all companies. */
  rebuilds(): readonly RebuildRecord[] {
    return [...this.#tables.of('rebuild').all()]
  }

  #applyChanges(entry: RecordEntry, offset: number): void {
    this.#commandOffset = entry.commandOffset
    for (const change of entry.changes) {
      this.#tables.store(change)
      this.#index(change)
      if (change.kind !== 'jobOperation') this.#listeners.changed(change, offset)
    }
    this.#remove(this.#bounds?.afterEntry(entry.command.nowMs, this.#machines.size) ?? [])
    this.#alertBounds.afterEntry(entry.command.nowMs)
    runSync(this.#limitOperations())
    this.#listeners.applied(entry, offset)
  }

  *#limitOperations(): Steps<void> {
    const { jobOperations } = this.#tables
    if (jobOperations.size <= this.#maxOperations) return
    this.#hasAllOperations = false
    // A part more, because each removal begins at the first place of the order.
    yield* jobOperations.removeOldest(Math.floor(this.#maxOperations * 0.9))
  }

  /** Updates the indexes of the kinds that have one. */
  #index(change: Change): void {
    const { kind, before, after } = change
    if (kind === 'company') replaceIn(this.#companyByRef, before?.ref, after?.ref, after)
    else if (kind === 'machine') this.#machines.replace(before, after)
    else if (kind === 'key' || kind === 'user' || kind === 'session') this.#credentials.replace(change)
    else if (kind === 'jobRun') {
      this.#histories.jobRun.replace(before, after)
      this.#lastRun = Math.max(this.#lastRun, after?.ref ?? 0)
    } else if (kind === 'operatorRun') this.#histories.operatorRun.replace(before, after)
    else if (kind === 'annotation') this.#histories.annotation.replace(before, after)
    else if (kind === 'partAdjustment') this.#histories.partAdjustment.replace(before, after)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record of this kind
    if (after && isTimedKind(kind)) this.#remove(this.#bounds?.afterChange(kind, after as TimedRecord) ?? [])
  }

  /** Removes records that need not stay in memory. */
  #remove(leaving: readonly LeavingRecord[]): void {
    for (const { kind, record } of leaving) {
      const change = changeBetween(kind, record.id, record, null)
      this.#tables.store(change)
      this.#index(change)
    }
  }
}

const allInMemory: TimedMemoryStart = {
  horizonMs: -Infinity,
  signInsAfterMs: new Map(),
  firstRuns: new Map(),
}
