import type { MachineRecord } from '../../schema/records/machine.ts'
import type { MachineSpan, MachineStarts, StartsFilter, TimedRecords } from '../../schema/records/timed-records.ts'

/**
 * Access to the records with a time that are not in memory. The store contains every change that the records in memory
 * contain. Reads reject with a `StoreError`.
 */
export interface RecordHistory {
  /**
   * Returns the time from which all records of a machine are in memory, with those in force at that time, UTC ms;
   * -Infinity: all of its records are in memory.
   */
  readonly inMemoryFromMs: (machine: MachineRecord) => number
  /** Reads the records of spans of a company's machines, in the order of the spans. */
  readonly readRecords: (
    companyId: string,
    spans: readonly MachineSpan[],
    maxSignInMs: number,
  ) => Promise<readonly TimedRecords[]>
  /** Reads the start of the first effective run of a machine after an instant, UTC ms; null if there is none. */
  readonly readNextRunStart: (companyId: string, machineId: string, afterMs: number) => Promise<number | null>
  /** Reads the first and the last start of the records of each machine of a company that match. */
  readonly readStarts: (companyId: string, filter: StartsFilter) => Promise<readonly MachineStarts[]>
}
