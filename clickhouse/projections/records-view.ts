import type { KeyRecord } from '../../schema/records/key.ts'
import type { RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'

/** The part of `Records` that projections read. */
export interface RecordsView {
  /** Returns every record of every company. */
  allRecords(): Iterable<{
    readonly kind: RecordKind
    readonly id: string
    readonly record: RecordKinds[RecordKind]
  }>
  get(kind: 'key', companyId: string, id: string): KeyRecord | null
}
