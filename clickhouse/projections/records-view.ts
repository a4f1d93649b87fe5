import type { KeyRecord } from '../../schema/records/key.ts'
import type { RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'

/** The part of the installation's records that projections read. */
export interface RecordsView {
  /** Every record of every company. */
  everything(): Iterable<{
    readonly kind: RecordKind
    readonly id: string
    readonly record: RecordKinds[RecordKind]
  }>
  get(kind: 'key', companyId: string, id: string): KeyRecord | null
}
