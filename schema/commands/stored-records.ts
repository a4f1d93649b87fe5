import type { ProjectedPosition } from './command-log.ts'
import type { JobRunRecord } from '../records/job-run.ts'
import type { Change } from '../records/record-kinds.ts'

/** Limits of the records with a time, and of the job operations, that stay in memory. */
export interface MemoryLimits {
  /** Age up to which all records stay in memory, unless there are too many, ms. */
  readonly maxAgeMs: number
  /** Age up to which records stay in memory in any number, ms: documents of these hours are computed all the time. */
  readonly minAgeMs: number
  /** Number of records from which the horizon moves beyond `maxAgeMs`, or per machine, whichever is more. */
  readonly maxRecords: number
  readonly maxRecordsPerMachine: number
  /** Number of records that are never too many, and part of the growth after which old ones are removed. */
  readonly slack: number
  /** Number of job operations: those that changed last stay in memory. */
  readonly maxOperations: number
  /** Time for which settled incidents stay in memory, ms. */
  readonly incidentAgeMs: number
  /** Number of settled incidents above which the oldest ones leave memory earlier. */
  readonly maxSettledIncidents: number
  /** Time for which decided deliveries stay in memory, ms. */
  readonly deliveryAgeMs: number
}

/** Position of a run among those of its machine. */
export type RunPosition = Pick<JobRunRecord, 'startAt' | 'startSequence'>

/** Traits of a company's job operations; they only decide what reports read, so they may outlast the operations. */
export interface OperationTraits {
  /** Whether any has, or had, a part count multiplier other than 1. */
  readonly hasMultipliers: boolean
  /** Whether any has, or had, thresholds. */
  readonly hasThresholds: boolean
}

/** From when on the records with a time and the settled incidents are in memory, and whether the job operations are. */
export interface MemoryStart {
  /** Start of the time whose records are in memory, with those in force then, UTC ms; -Infinity: all records. */
  readonly horizonMs: number
  /** By company: sign-ins that start after this time and are open at the horizon are in memory, UTC ms. */
  readonly signInsAfterMs: ReadonlyMap<string, number>
  /**
   * By id of the machine: the first run before the horizon that is, or was, in memory. All later runs of the machine are
   * in memory, earlier ones are not. A start from the store determines them from the runs that it reads.
   */
  readonly firstRuns: ReadonlyMap<string, RunPosition>
  /** Traits of the job operations by id of the company; null: all operations are in memory. */
  readonly storedOperations: ReadonlyMap<string, OperationTraits> | null
  /** The incidents that were settled at this instant or later are in memory, UTC ms; -Infinity: all incidents. */
  readonly settledFromMs: number
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
