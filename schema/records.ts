import type { AnnotationRecord } from './records/annotation.ts'
import type { ClaimRecord } from './records/claim.ts'
import type { CompanyRecord } from './records/company.ts'
import type { DowntimeReasonRecord } from './records/downtime-reason.ts'
import type { InstallationRecord } from './records/installation.ts'
import type { JobOperationRecord } from './records/job-operation.ts'
import type { JobRunRecord } from './records/job-run.ts'
import type { KeyRecord } from './records/key.ts'
import type { MachineGroupRecord } from './records/machine-group.ts'
import type { MachineRecord } from './records/machine.ts'
import type { OperatorRunRecord } from './records/operator-run.ts'
import type { OperatorRecord } from './records/operator.ts'
import type { PartAdjustmentTypeRecord } from './records/part-adjustment-type.ts'
import type { PartAdjustmentRecord } from './records/part-adjustment.ts'
import type { RebuildRecord } from './records/rebuild.ts'
import type { ScheduleRecord } from './records/schedule.ts'
import type { SessionRecord } from './records/session.ts'
import type { UserRecord } from './records/user.ts'

/*
 * The plant's records as they are stored and followed by every process. Instants are ISO strings (`YYYY-MM-DDTHH:mm:ss.SSSZ`),
 * as the API shows them. `ref` is an int given out by the registrar, unique in the installation and never used again:
 * what the columnar store keys by.
 */
export type { AnnotationRecord } from './records/annotation.ts'
export type { ClaimRecord } from './records/claim.ts'
export {
  defaultCompanySettings,
  type CompanyRecord,
  type CompanySettings,
  type ScheduledBy,
} from './records/company.ts'
export type { DowntimeReasonRecord } from './records/downtime-reason.ts'
export type { InstallationRecord } from './records/installation.ts'
export type { JobOperationRecord, JobTimes, WorkCenter } from './records/job-operation.ts'
export type { JobRunRecord } from './records/job-run.ts'
export type { KeyRecord } from './records/key.ts'
export type { MachineGroupRecord } from './records/machine-group.ts'
export { defaultMachineSettings, type MachineRecord, type PartCounter } from './records/machine.ts'
export type { OperatorRunRecord } from './records/operator-run.ts'
export type { OperatorRecord } from './records/operator.ts'
export type { PartAdjustmentTypeRecord, RejectBehavior } from './records/part-adjustment-type.ts'
export type { PartAdjustmentRecord } from './records/part-adjustment.ts'
export type { RebuildRecord } from './records/rebuild.ts'
export type { ScheduleException, ScheduleRecord, ScheduleVersion, Shift, ShiftTimes } from './records/schedule.ts'
export type { SessionRecord } from './records/session.ts'
export { defaultThresholds, type Thresholds } from './records/thresholds.ts'
export type { UserRecord } from './records/user.ts'

/** Name of the command that writes the records of a lost log to a new one. */
export const restoreCommand = 'installation.restore'

/** The `format` that this version writes and reads. */
export const logFormat = 2

/** Every kind of record by its name. */
export interface RecordKinds {
  installation: InstallationRecord
  company: CompanyRecord
  key: KeyRecord
  user: UserRecord
  session: SessionRecord
  machine: MachineRecord
  schedule: ScheduleRecord
  machineGroup: MachineGroupRecord
  operator: OperatorRecord
  operatorRun: OperatorRunRecord
  downtimeReason: DowntimeReasonRecord
  annotation: AnnotationRecord
  partAdjustmentType: PartAdjustmentTypeRecord
  partAdjustment: PartAdjustmentRecord
  jobOperation: JobOperationRecord
  jobRun: JobRunRecord
  claim: ClaimRecord
  rebuild: RebuildRecord
}

export type RecordKind = keyof RecordKinds

/** What happened to one record: created (no before), changed, or deleted (no after). */
export type Change = {
  [K in RecordKind]: {
    readonly kind: K
    readonly id: string
    readonly before: RecordKinds[K] | null
    readonly after: RecordKinds[K] | null
  }
}[RecordKind]

/** Who asked for a change, as it was then. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'service'
  readonly name: string
}

/** What a process asks of the registrar, in `commands.v1`. Clock and randomness are drawn by the sender, so that folding is pure. */
export interface Command {
  /** UUID; a repeated id is answered again, not done again. */
  readonly id: string
  /** After this the registrar drops it. */
  readonly deadlineMs: number
  readonly nowMs: number
  /** UUIDs for records that the command creates. */
  readonly freshIds: readonly string[]
  /** null: the installation itself (first start, claims). */
  readonly companyId: string | null
  /** Who asked, for the audit trail: the id of a key or a user, or what part of the service it was. */
  readonly actor: string
  /** Missing: a part of the service, or written before this was kept. */
  readonly by?: Actor
  /** e.g. `machine.put`; the registrar's catalogue of commands types the payload. */
  readonly name: string
  readonly payload: unknown
  /** Missing: nobody would know a repeat of the request. */
  readonly repeat?: RepeatMark
  /** Where the command is too large for one record of the log: its payload then is the list of the payloads of its chunks. */
  readonly chunk?: EntryChunk
}

/** By which a repeated request is known (`Idempotency-Key`). Both are SHA-256 in hex. */
export interface RepeatMark {
  /** Hash of the route and the key that the caller gave. */
  readonly key: string
  /** Of what the request says. */
  readonly body: string
}

/** Tells which chunk of a large entry a record of the log holds. `index` counts from 0. */
export interface EntryChunk {
  readonly index: number
  readonly count: number
}

export type Outcome =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: CommandError }

/** `status` is the HTTP status that the API answers. */
export interface CommandError {
  readonly status: 400 | 404 | 409 | 429
  readonly code: string
  readonly message: string
  readonly errors: readonly Fault[]
  /** Faults that were found, but are not in `errors`; 0 unless given. */
  readonly more?: number
}

/** One fault of a request. Codes: see `schema/errors.ts`. */
export interface Fault {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** One entry of `records.v1`: a command, its outcome and what it changed, as one. */
export interface RecordEntry {
  readonly command: Omit<Command, 'payload' | 'freshIds' | 'chunk'>
  /** Offset of the command in commands.v1 (above `InstallationRecord.commandOffsetBase`): rises from entry to entry; one that does not repeats an earlier entry. */
  readonly commandOffset: number
  readonly outcome: Outcome
  readonly changes: readonly Change[]
  /** Where the entry is too large for one record of the log: its chunks follow each other, each with some of the changes. */
  readonly chunk?: EntryChunk
}
