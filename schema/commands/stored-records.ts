import type { ProjectedPosition } from './command-log.ts'
import type { Change } from '../records/record-kinds.ts'

/** Limits of the records with a time that stay in memory. */
export interface MemoryLimits {
  /** Age up to which all records stay in memory, unless there are too many, ms. */
  readonly maxAgeMs: number
  /** Age up to which records stay in memory in any number, ms: documents of these hours are computed all the time. */
  readonly minAgeMs: number
  /** Number of records that stay in memory at most, or per machine, whichever is more. */
  readonly maxRecords: number
  readonly maxRecordsPerMachine: number
  /** Number of records that stay in memory in any case, and of further records after which old ones are removed. */
  readonly slack: number
}

/** From when on the records with a time are in memory. */
export interface MemoryStart {
  /** Start of the time whose records are in memory, with those in force then, UTC ms; -Infinity: all records. */
  readonly horizonMs: number
  /** By company: sign-ins that start after this time and are open at the horizon are in memory, UTC ms. */
  readonly signInsAfterMs: ReadonlyMap<string, number>
  /** Ids of machines that have runs before the horizon: if none is in memory, it must be read from the store. */
  readonly machinesWithOlderRuns: ReadonlySet<string>
}

/** The records as the store contains them. Methods reject with a `StoreError`. */
export interface StoredRecords {
  /** Returns how far the store follows the log; null if it does not follow this log yet. */
  readPosition(): Promise<ProjectedPosition | null>
  /**
   * Reads the records as changes that create them: of those with a time, only those from a recent time on, which it
   * resolves to. Entries after the position may be included partly.
   */
  readRecords(onPage: (changes: readonly Change[]) => void): Promise<MemoryStart>
  /** Reads the deleted records of the kinds whose ids callers choose, as changes that delete them. */
  readDeletedRecords(): Promise<readonly Change[]>
}
