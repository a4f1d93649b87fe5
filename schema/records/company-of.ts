import type { RecordKind, RecordKinds } from './record-kinds.ts'

/** Returns the id of the company to which a record belongs; '' for a record of the installation. */
export function companyOf(record: RecordKinds[RecordKind]): string {
  return 'companyId' in record ? record.companyId : ''
}
