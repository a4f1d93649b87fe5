import type { AnnotationRecord } from './annotation.ts'
import type { ClaimRecord } from './claim.ts'
import type { CompanyRecord } from './company.ts'
import type { DowntimeReasonRecord } from './downtime-reason.ts'
import type { InstallationRecord } from './installation.ts'
import type { JobOperationRecord } from './job-operation.ts'
import type { JobRunRecord } from './job-run.ts'
import type { KeyRecord } from './key.ts'
import type { MachineGroupRecord } from './machine-group.ts'
import type { MachineRecord } from './machine.ts'
import type { OperatorRunRecord } from './operator-run.ts'
import type { OperatorRecord } from './operator.ts'
import type { PartAdjustmentTypeRecord } from './part-adjustment-type.ts'
import type { PartAdjustmentRecord } from './part-adjustment.ts'
import type { RebuildRecord } from './rebuild.ts'
import type { ScheduleRecord } from './schedule.ts'
import type { SessionRecord } from './session.ts'
import type { UserRecord } from './user.ts'

/*
 * Records of the plant as they are stored, and as every process follows them. Instants are ISO strings
 * (`YYYY-MM-DDTHH:mm:ss.SSSZ`), as the API shows them. `ref` is an int that the registrar gives out, unique in the
 * installation and never used again: the columnar store uses it as key.
 */

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

/**
 * Traits of each kind. `entersDocuments`: documents of machines depend on its records. `isAudited`: the audit trail
 * lists its changes; internal records of the processors are not changes of the plant.
 */
export const recordKinds = {
  installation: { entersDocuments: false, isAudited: false },
  company: { entersDocuments: true, isAudited: true },
  key: { entersDocuments: false, isAudited: true },
  user: { entersDocuments: false, isAudited: true },
  session: { entersDocuments: false, isAudited: true },
  machine: { entersDocuments: true, isAudited: true },
  schedule: { entersDocuments: true, isAudited: true },
  machineGroup: { entersDocuments: false, isAudited: true },
  operator: { entersDocuments: false, isAudited: true },
  operatorRun: { entersDocuments: true, isAudited: true },
  downtimeReason: { entersDocuments: false, isAudited: true },
  annotation: { entersDocuments: true, isAudited: true },
  partAdjustmentType: { entersDocuments: true, isAudited: true },
  partAdjustment: { entersDocuments: true, isAudited: true },
  jobOperation: { entersDocuments: false, isAudited: true },
  jobRun: { entersDocuments: true, isAudited: true },
  claim: { entersDocuments: false, isAudited: false },
  rebuild: { entersDocuments: false, isAudited: true },
} as const satisfies Readonly<Record<RecordKind, { readonly entersDocuments: boolean; readonly isAudited: boolean }>>

/** Names of the kinds, in the order of `recordKinds`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const recordKindNames = Object.keys(recordKinds) as readonly RecordKind[]

/** Kind that has a trait. */
export type KindThat<Trait extends 'entersDocuments' | 'isAudited'> = {
  [K in RecordKind]: (typeof recordKinds)[K][Trait] extends true ? K : never
}[RecordKind]

/** Kind whose changes the audit trail tells. */
export type AuditedKind = KindThat<'isAudited'>
export const auditedKinds = recordKindNames.filter((kind): kind is AuditedKind => recordKinds[kind].isAudited)

/** Change of one record: created (no before), changed, or deleted (no after). */
export type Change = {
  [K in RecordKind]: {
    readonly kind: K
    readonly id: string
    readonly before: RecordKinds[K] | null
    readonly after: RecordKinds[K] | null
  }
}[RecordKind]
