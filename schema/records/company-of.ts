import type { RecordKind, RecordKinds } from './record-kinds.ts'

/** Returns the id of the company that a record belongs to; '' for a record of none. */
export function companyOf(record: RecordKinds[RecordKind]): string {
  return 'companyId' in record ? record.companyId : ''
}
