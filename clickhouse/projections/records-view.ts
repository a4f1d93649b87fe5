import type { KeyRecord } from '../../schema/records/key.ts'

/** The part of `Records` that projections read. */
export interface RecordsView {
  get(kind: 'key', companyId: string, id: string): KeyRecord | null
}
