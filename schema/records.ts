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

/** Change of one record: created (no before), changed, or deleted (no after). */
export type Change = {
  [K in RecordKind]: {
    readonly kind: K
    readonly id: string
    readonly before: RecordKinds[K] | null
    readonly after: RecordKinds[K] | null
  }
}[RecordKind]
