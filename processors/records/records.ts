import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { ClaimRecord } from '../../schema/records/claim.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { CredentialIndex } from './credential-index.ts'
import type { JobNames, JobOperations } from './job-operations.ts'
import { MachineHistories } from './machine-histories.ts'
import { MachineIndex } from './machine-index.ts'
import { canonicalId, installationKey } from './record-ids.ts'
import { type ChangeListener, type EntryListener, RecordListeners } from './record-listeners.ts'
import { companyOfOperations, type KindedRecord, RecordTables } from './record-tables.ts'
import { replaceIn } from './replace-in.ts'

/** Kinds that belong to a company. */
export type CompanyKind = Exclude<RecordKind, 'company' | 'claim' | 'installation'>

/** Number of changed job operations from which `applySteps` yields to the event loop. */
const manyChanges = 500

/**
 * The plant's records in memory; every process follows records.v1. Records are immutable: a change creates a new
 * object. Every lookup of a company's record requires the company, so that no company sees another's; only machines,
 * companies and credentials can be found without it (by values that are unique in the installation). Lists of a machine
 * are live views, valid until the next change.
 */
export class Records {
  #offset = -1
  #commandOffset = -1
  readonly #tables = new RecordTables()
  readonly #companyByRef = new Map<number, CompanyRecord>()
  readonly #machines = new MachineIndex()
  readonly #credentials = new CredentialIndex()
  readonly #histories = new MachineHistories()
  readonly #listeners = new RecordListeners()

  /** Offset of the last entry applied; -1: none. */
  get offset(): number {
    return this.#offset
  }

  /** `commandOffset` of the last entry that changed something here; -1: none. */
  get commandOffset(): number {
    return this.#commandOffset
  }

  /**
   * Applies an entry of records.v1. Known entries are skipped: entries at or below `offset`, and repeated outcomes.
   * Commands are decided in order, so their offsets increase.
   */
  apply(entry: RecordEntry, offset: number): void {
    if (offset <= this.#offset) return
    this.#offset = offset
    if (entry.commandOffset > this.#commandOffset) this.#applyChanges(entry, offset)
    this.#listeners.reached(offset)
  }

  /**
   * As `apply`, but yields to the event loop while it applies the many job operations of an import: readers see the
   * state before until it is complete. No other entry may be applied meanwhile.
   */
  async applyInTurns(entry: RecordEntry, offset: number): Promise<void> {
    const companyId = entry.changes.length > manyChanges ? companyOfOperations(entry.changes) : null
    if (companyId === null || offset <= this.#offset || entry.commandOffset <= this.#commandOffset)
      return this.apply(entry, offset)
    const operations = await runCooperatively(this.#tables.jobOperations.changed(companyId, entry.changes))
    this.#tables.jobOperations.replace(companyId, operations)
    this.#offset = offset
    this.#commandOffset = entry.commandOffset
    this.#listeners.applied(entry, offset)
    this.#listeners.reached(offset)
  }

  /** Calls the listener after every change except of job operations, in order; returns a function that removes it. */
  onChange(listener: ChangeListener): () => void {
    return this.#listeners.onChange(listener)
  }

  /** Calls the listener after every entry, in order; returns a function that removes it. */
  onEntry(listener: EntryListener): () => void {
    return this.#listeners.onEntry(listener)
  }

  /** Resolves when the entry at `offset` has been applied. */
  async waitFor(offset: number): Promise<void> {
    if (offset > this.#offset) await this.#listeners.waitFor(offset)
  }

  /**
   * One record of a company; null if it has none with that id. UUIDs match in any letter case, except ids of runs,
   * which belong to the ERP.
   */
  get<K extends CompanyKind>(kind: K, companyId: string, id: string | number): RecordKinds[K] | null {
    return this.#tables.of(kind).get(companyId, kind === 'jobRun' ? String(id) : canonicalId(String(id)))
  }

  /** A company's records of a kind, oldest first. */
  list<K extends CompanyKind>(kind: K, companyId: string): readonly RecordKinds[K][] {
    return this.#tables.of(kind).list(companyId)
  }

  /** The installation that the log belongs to; null: nothing has been written to it. */
  installation(): InstallationRecord | null {
    return this.#tables.of('installation').get('', installationKey)
  }

  company(id: string): CompanyRecord | null {
    return this.#tables.of('company').get('', id)
  }

  companyByRef(ref: CompanyRef): CompanyRecord | null {
    return this.#companyByRef.get(ref) ?? null
  }

  /** Every company, by ref. */
  companies(): readonly CompanyRecord[] {
    return [...this.#companyByRef.values()].sort((a, b) => a.ref - b.ref)
  }

  /** The machine with this id (a UUID in any letter case), of whatever company. */
  machine(id: string): MachineRecord | null {
    return this.#machines.byId(id)
  }

  machineByRef(ref: MachineRef): MachineRecord | null {
    return this.#machines.byRef(ref)
  }

  /** Every machine of the installation. */
  allMachines(): IterableIterator<MachineRecord> {
    return this.#machines.all()
  }

  /** A company's machines, decommissioned ones too, by name, then id. */
  machines(companyId: string): readonly MachineRecord[] {
    return this.#machines.byName(companyId, () => this.list('machine', companyId))
  }

  /** The machine with an ERP id: the one in service, otherwise the most recently decommissioned one. */
  machineByErpId(companyId: string, erpMachineId: string): MachineRecord | null {
    return this.#machines.byErpId(companyId, erpMachineId)
  }

  /** Ids of a group's machines. */
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

  /** Users of all companies with this address, in any letter case; of each company there is one at most. */
  usersByEmail(email: string): readonly UserRecord[] {
    return this.#credentials.usersByEmail(email)
  }

  sessionById(id: string): SessionRecord | null {
    return this.#credentials.sessionById(id)
  }

  /** The schedule that a machine follows; null: it works around the clock. */
  scheduleOf(machine: MachineRecord): ScheduleRecord | null {
    return machine.scheduleId === null ? null : this.get('schedule', machine.companyId, machine.scheduleId)
  }

  jobOperation(companyId: string, names: JobNames): JobOperationRecord | null {
    return this.jobOperations(companyId).byNames(names)
  }

  /** A company's job operations; valid until the next change. */
  jobOperations(companyId: string): JobOperations {
    return this.#tables.jobOperations.of(companyId)
  }

  /** A machine's job runs as told, by (startAt, startSequence). */
  runsOf(machineId: string): readonly JobRunRecord[] {
    return this.#histories.jobRun.of(machineId)
  }

  /** A machine's sign-ins, by startAt. */
  operatorRunsOf(machineId: string): readonly OperatorRunRecord[] {
    return this.#histories.operatorRun.of(machineId)
  }

  /** A machine's annotations, by startAt; they don't overlap. */
  annotationsOf(machineId: string): readonly AnnotationRecord[] {
    return this.#histories.annotation.of(machineId)
  }

  /** A machine's adjustments, by adjustmentTime. */
  adjustmentsOf(machineId: string): readonly PartAdjustmentRecord[] {
    return this.#histories.partAdjustment.of(machineId)
  }

  claim(id: string): ClaimRecord | null {
    return this.#tables.of('claim').get('', id)
  }

  /** Every record that there is, of every kind. */
  everything(): Generator<KindedRecord> {
    return this.#tables.everything()
  }

  /** Every rebuild, of whatever company. */
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
    this.#listeners.applied(entry, offset)
  }

  /** Updates the indexes of the kinds that have one. */
  #index(change: Change): void {
    const { kind, before, after } = change
    if (kind === 'company') replaceIn(this.#companyByRef, before?.ref, after?.ref, after)
    else if (kind === 'machine') this.#machines.replace(before, after)
    else if (kind === 'key' || kind === 'user' || kind === 'session') this.#credentials.replace(change)
    else if (kind === 'jobRun') this.#histories.jobRun.replace(before, after)
    else if (kind === 'operatorRun') this.#histories.operatorRun.replace(before, after)
    else if (kind === 'annotation') this.#histories.annotation.replace(before, after)
    else if (kind === 'partAdjustment') this.#histories.partAdjustment.replace(before, after)
  }
}
