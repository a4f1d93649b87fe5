import type { Log } from '../../log/log.ts'
import type { Command, ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import type { MemoryLimits, StoredRecords } from '../../schema/commands/stored-records.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { Problems } from '../../shared/problems.ts'
import type { Records } from '../records/records.ts'
import type { StoredDataReader } from './deciding/stored-reads.ts'
import type { LookupKind, RecordLookupsDeps } from './record-lookups.ts'

/**
 * Executes commands that change data outside of the log, but no records. They are executed before their offset is
 * committed, retried until they succeed, and executed again after a crash: implementations must be idempotent and skip
 * unreadable commands. No outcome is published.
 */
export type Effect = (commands: readonly Command[]) => Promise<void>

/** Methods of a logger that the registrar uses; compatible with pino. */
export interface RegistrarLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Access to the records in the store. */
export type RegistrarHistory = Omit<StoredDataReader, LookupKind> & RecordLookupsDeps

/**
 * Finds the job operations of a company that exist, by their ids: it need not wait until the store contains the changes
 * before, and reads none again that the decisions have read. null: there were too many changes.
 */
export type OperationsById = (companyId: string, ids: readonly string[]) => Promise<readonly JobOperationRecord[]>

export interface RegistrarOptions {
  readonly log: Log
  readonly logger: RegistrarLogger
  /** Receives problems: work that fails repeatedly, and commands that cannot be parsed. */
  readonly problems?: Problems
  /**
   * Writes committed entries to a projection, in order, with the position after the last one. `records` and `operations`
   * already contain them. See `createRegistrarRole`.
   */
  readonly project?: (
    entries: readonly RecordEntry[],
    records: Records,
    position: ProjectedPosition,
    operations: OperationsById | null,
  ) => Promise<void>
  /**
   * Called when `project` has accepted every entry up to a `commandOffset` (-1: the log has none), first when the
   * registrar has taken over: every process can apply them. By default the registrar appends a mark to records.v1.
   */
  readonly onProjected?: (commandOffset: number) => void
  /**
   * The records that `project` has written. A registrar that takes over continues from their position, and projects the
   * later entries again. By default it reads all entries, and projects none of them.
   */
  readonly stored?: StoredRecords
  /** Limits of the records with a time that stay in memory; default: all of them. */
  readonly memoryLimits?: MemoryLimits
  /** Reads records that are not in memory. */
  readonly history: RegistrarHistory
  /**
   * Creates the effects by name of the command, for each assignment: cached data is valid because no other process
   * writes meanwhile.
   */
  readonly effects?: () => ReadonlyMap<string, Effect>
  /** Delay before a retry, ms. */
  readonly backOffMs?: number
}
