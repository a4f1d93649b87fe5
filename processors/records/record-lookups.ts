import type { AlertEvaluationRecord } from '../../schema/records/alert-evaluation.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { ClaimRecord } from '../../schema/records/claim.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { JobNames } from '../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { DeliveryTable } from './delivery-table.ts'
import type { IncidentTable } from './incident-table.ts'
import type { JobOperations } from './job-operations.ts'
import { canonicalId, installationKey } from './record-ids.ts'
import { RecordIndexes } from './record-indexes.ts'
import { type RecordWithKind, RecordTables } from './record-tables.ts'

/** Kinds of records that belong to a company. */
export type CompanyKind = Exclude<RecordKind, 'company' | 'claim' | 'installation' | 'alertEvaluation'>

/**
 * Look-ups of the records in memory. They require the company, so that no company sees records of another one; only
 * machines, companies and credentials can be found without it, by values that are unique in the installation. Arrays of
 * a machine's records are live views, valid until the next change.
 */
export class RecordLookups {
  protected readonly tables = new RecordTables()
  protected readonly indexes = new RecordIndexes()

  /**
   * Returns one record of a company; null if the company has none with this id. UUIDs match in any letter case, except
   * ids of runs, which the ERP assigns.
   */
  get<K extends CompanyKind>(kind: K, companyId: string, id: string | number): RecordKinds[K] | null {
    return this.tables.of(kind).get(companyId, kind === 'jobRun' ? String(id) : canonicalId(String(id)))
  }

  /** Returns a company's records of a kind, oldest first. */
  list<K extends CompanyKind>(kind: K, companyId: string): readonly RecordKinds[K][] {
    return this.tables.of(kind).list(companyId)
  }

  /** Returns the installation to which the log belongs; null if the log is empty. */
  installation(): InstallationRecord | null {
    return this.tables.of('installation').get('', installationKey)
  }

  company(id: string): CompanyRecord | null {
    return this.tables.of('company').get('', id)
  }

  companyByRef(ref: CompanyRef): CompanyRecord | null {
    return this.indexes.companyByRef.get(ref) ?? null
  }

  /** Returns all companies by ascending ref. */
  companies(): readonly CompanyRecord[] {
    return [...this.indexes.companyByRef.values()].sort((a, b) => a.ref - b.ref)
  }

  /** Returns the company that was created first: no other one has rules on the system, or a simulated plant. null: none exists. */
  firstCompany(): CompanyRecord | null {
    return this.companies()[0] ?? null
  }

  /** Returns the machine with this id (a UUID in any letter case), of any company. */
  machine(id: string): MachineRecord | null {
    return this.indexes.machines.byId(id)
  }

  machineByRef(ref: MachineRef): MachineRecord | null {
    return this.indexes.machines.byRef(ref)
  }

  /** Returns all machines of the installation. */
  allMachines(): IterableIterator<MachineRecord> {
    return this.indexes.machines.all()
  }

  /** Returns a company's machines, including decommissioned ones, by name, then id. */
  machines(companyId: string): readonly MachineRecord[] {
    return this.indexes.machines.byName(companyId, () => this.list('machine', companyId))
  }

  /** Returns the machine with an ERP id: the one in service, otherwise the most recently decommissioned one. */
  machineByErpId(companyId: string, erpMachineId: string): MachineRecord | null {
    return this.indexes.machines.byErpId(companyId, erpMachineId)
  }

  /** Returns the ids of a group's machines. */
  machinesOfGroup(companyId: string, groupId: string): ReadonlySet<string> {
    return this.indexes.machines.ofGroup(companyId, canonicalId(groupId))
  }

  keyByHash(hash: string): KeyRecord | null {
    return this.indexes.credentials.keyByHash(hash)
  }

  keyById(id: string): KeyRecord | null {
    return this.indexes.credentials.keyById(id)
  }

  userById(id: string): UserRecord | null {
    return this.indexes.credentials.userById(id)
  }

  /** Returns the users of all companies with this email address, in any letter case: at most one per company. */
  usersByEmail(email: string): readonly UserRecord[] {
    return this.indexes.credentials.usersByEmail(email)
  }

  sessionById(id: string): SessionRecord | null {
    return this.indexes.credentials.sessionById(id)
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
    return this.tables.jobOperations.of(companyId)
  }

  /** Returns a machine's job runs as reported, by (startAt, startSequence). */
  runsOf(machineId: string): readonly JobRunRecord[] {
    return this.indexes.histories.jobRun.of(machineId)
  }

  /** Returns a machine's sign-ins by startAt. */
  operatorRunsOf(machineId: string): readonly OperatorRunRecord[] {
    return this.indexes.histories.operatorRun.of(machineId)
  }

  /** Returns a machine's annotations by startAt; they do not overlap. */
  annotationsOf(machineId: string): readonly AnnotationRecord[] {
    return this.indexes.histories.annotation.of(machineId)
  }

  /** Returns a machine's part adjustments by adjustmentTime. */
  adjustmentsOf(machineId: string): readonly PartAdjustmentRecord[] {
    return this.indexes.histories.partAdjustment.of(machineId)
  }

  /** The incidents that are not settled, and recent ones. */
  get incidents(): Pick<IncidentTable, 'ofSubject' | 'ofType' | 'unresolved' | 'unresolvedCount'> {
    return this.tables.incidents
  }

  /** The undecided deliveries, and recent ones. */
  get deliveries(): Pick<DeliveryTable, 'dueFrom' | 'undecidedOfTarget' | 'targetsWithUndecided'> {
    return this.tables.deliveries
  }

  /** Returns how far the rules of a partition are evaluated; null: not yet. */
  alertEvaluation(id: string): AlertEvaluationRecord | null {
    return this.tables.of('alertEvaluation').get('', id)
  }

  /** Returns how far the rules of each partition are evaluated. */
  alertEvaluations(): readonly AlertEvaluationRecord[] {
    return [...this.tables.of('alertEvaluation').all()]
  }

  claim(id: string): ClaimRecord | null {
    return this.tables.of('claim').get('', id)
  }

  /** Returns every record of every kind. */
  allRecords(): Generator<RecordWithKind> {
    return this.tables.allRecords()
  }

  /** Returns the rebuilds of all companies. */
  rebuilds(): readonly RebuildRecord[] {
    return [...this.tables.of('rebuild').all()]
  }
}
