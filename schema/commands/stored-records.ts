import type { ProjectedPosition } from './command-log.ts'
import type { Change } from '../records/record-kinds.ts'

/** The records as the store contains them. Methods reject with a `StoreError`. */
export interface StoredRecords {
  /** Returns how far the store follows the log; null if it does not follow this log yet. */
  readPosition(): Promise<ProjectedPosition | null>
  /** Reads all records, as changes that create them. Entries after the position may be included partly. */
  readRecords(): AsyncIterable<readonly Change[]>
  /** Reads the deleted records of the kinds whose ids callers choose, as changes that delete them. */
  readDeletedRecords(): Promise<readonly Change[]>
}
