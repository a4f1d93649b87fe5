import type { AuditedKind } from '../../../../schema/requests/audit.ts'

/** Kinds of records in the audit trail, in the order of the choice. */
export const auditedKindNames = [
  'machine',
  'machineGroup',
  'schedule',
  'downtimeReason',
  'annotation',
  'partAdjustmentType',
  'partAdjustment',
  'jobOperation',
  'jobRun',
  'operator',
  'operatorRun',
  'user',
  'session',
  'key',
  'company',
  'rebuild',
] as const satisfies readonly AuditedKind[]
