import type { AlertEvaluationRecord } from './alert-evaluation.ts'
import type { AlertPauseRecord } from './alert-pause.ts'
import type { AlertRuleRecord } from './alert-rule.ts'
import type { AlertTargetRecord } from './alert-target.ts'
import type { AnnotationRecord } from './annotation.ts'
import type { ClaimRecord } from './claim.ts'
import type { CompanyRecord } from './company.ts'
import type { ConnectorRecord } from './connector.ts'
import type { DeliveryRecord } from './delivery.ts'
import type { DowntimeReasonRecord } from './downtime-reason.ts'
import type { IncidentRecord } from './incident.ts'
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

/**
 * Records as the log stores them and every process caches them. Instants are ISO strings (`YYYY-MM-DDTHH:mm:ss.SSSZ`).
 * `ref` is an integer that the registrar assigns, unique in the installation and never reused: the key of the record in
 * the store.
 */

/** Record type by the name of its kind. */
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
  connector: ConnectorRecord
  alertTarget: AlertTargetRecord
  alertRule: AlertRuleRecord
  alertPause: AlertPauseRecord
  incident: IncidentRecord
  alertEvaluation: AlertEvaluationRecord
  delivery: DeliveryRecord
  claim: ClaimRecord
  rebuild: RebuildRecord
}

export type RecordKind = keyof RecordKinds

/**
 * Traits of each kind. `affectsDocuments`: hourly documents depend on its records. `isAudited`: the audit trail lists
 * its changes; records that only processors use are not audited.
 */
export const recordKinds = {
  installation: { affectsDocuments: false, isAudited: false },
  company: { affectsDocuments: true, isAudited: true },
  key: { affectsDocuments: false, isAudited: true },
  user: { affectsDocuments: false, isAudited: true },
  session: { affectsDocuments: false, isAudited: true },
  machine: { affectsDocuments: true, isAudited: true },
  schedule: { affectsDocuments: true, isAudited: true },
  machineGroup: { affectsDocuments: false, isAudited: true },
  operator: { affectsDocuments: false, isAudited: true },
  operatorRun: { affectsDocuments: true, isAudited: true },
  downtimeReason: { affectsDocuments: false, isAudited: true },
  annotation: { affectsDocuments: true, isAudited: true },
  partAdjustmentType: { affectsDocuments: true, isAudited: true },
  partAdjustment: { affectsDocuments: true, isAudited: true },
  jobOperation: { affectsDocuments: false, isAudited: true },
  jobRun: { affectsDocuments: true, isAudited: true },
  connector: { affectsDocuments: false, isAudited: true },
  alertTarget: { affectsDocuments: false, isAudited: true },
  alertRule: { affectsDocuments: false, isAudited: true },
  alertPause: { affectsDocuments: false, isAudited: true },
  incident: { affectsDocuments: false, isAudited: true },
  alertEvaluation: { affectsDocuments: false, isAudited: false },
  delivery: { affectsDocuments: false, isAudited: false },
  claim: { affectsDocuments: false, isAudited: false },
  rebuild: { affectsDocuments: false, isAudited: true },
} as const satisfies Readonly<Record<RecordKind, { readonly affectsDocuments: boolean; readonly isAudited: boolean }>>

/** Names of the kinds, in the order of `recordKinds`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const recordKindNames = Object.keys(recordKinds) as readonly RecordKind[]

/** Kinds that have a trait. */
export type KindWithTrait<Trait extends 'affectsDocuments' | 'isAudited'> = {
  [K in RecordKind]: (typeof recordKinds)[K][Trait] extends true ? K : never
}[RecordKind]

/** Kinds whose changes the audit trail lists. */
export type AuditedKind = KindWithTrait<'isAudited'>
export const auditedKinds = recordKindNames.filter((kind): kind is AuditedKind => recordKinds[kind].isAudited)

/** Change of one record of a kind: `before` is null for a created record, `after` for a deleted one. */
export type ChangeOf<Kind extends RecordKind> = {
  [K in Kind]: {
    readonly kind: K
    readonly id: string
    readonly before: RecordKinds[K] | null
    readonly after: RecordKinds[K] | null
  }
}[Kind]
export type Change = ChangeOf<RecordKind>

/** A record of any kind. */
export type AnyRecord = RecordKinds[RecordKind]

/** Returns the change of a record between two states. The caller ensures that both are records of this kind. */
export function changeBetween(kind: RecordKind, id: string, before: AnyRecord | null, after: AnyRecord | null): Change {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- stated by the caller
  return { kind, id, before, after } as Change
}
