import type { HourDocument } from './document.ts'
import type { Sample, ActivityMinute } from './sample.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/**
 * Part of the store that the processors use; implemented in `clickhouse/`. Every method has the company as parameter;
 * machines are refs.
 */
export interface DocumentStore extends SampleArchive, HourStore, DayStore, ProgressStore {}

/** Identifies one hour of one machine by the start of the hour. */
export interface HourKey {
  readonly machineRef: MachineRef
  readonly slotMs: number
}

/** Hours of one machine that begin in [fromMs, toMs). */
export interface HourRange {
  readonly machineRef: MachineRef
  readonly fromMs: number
  readonly toMs: number
}

/** State samples, and the minutes in which machines sent samples. */
export interface SampleArchive {
  /**
   * Writes samples and resolves when the store has acknowledged them. Idempotent: the store collapses repeated rows.
   */
  writeSamples(companyRef: CompanyRef, samples: readonly Sample[]): Promise<void>
  writeSeen(companyRef: CompanyRef, seen: readonly ActivityMinute[]): Promise<void>
  /** Returns state samples with `fromMs <= at < toMs`, in no particular order; a sample may occur repeatedly. */
  readSamples(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly Sample[]>
  /**
   * Returns the last samples of each machine before `beforeMs`, one or more (of one µs) for each key, type, subtype, category and native
   * code, in no particular order.
   */
  readLatestSamples(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    beforeMs: number,
  ): Promise<readonly Sample[]>
  /** Returns the number of samples that `readSamples` would read, including superseded copies and repeated rows. */
  countSamples(companyRef: CompanyRef, machines: readonly MachineRef[], fromMs: number, toMs: number): Promise<number>
  /**
   * Marks later copies of samples that have the same sequence number and key but different times: `readSamples` then
   * returns only the earliest copy. Call it after writing the samples. Returns the copies whose hours may have changed:
   * copies among these samples, and all copies of a sample that is now the earliest.
   */
  supersedeCopies(companyRef: CompanyRef, samples: readonly Sample[]): Promise<readonly SupersededCopy[]>
  /** Returns the activity minutes that begin in [fromMs, toMs), ascending, merged to one per machine and minute. */
  readSeen(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly ActivityMinute[]>
  /**
   * Returns the time of the earliest sample or activity minute of each machine, UTC ms; machines without samples are
   * missing.
   */
  readFirstSeen(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<ReadonlyMap<number, number>>
  /** Copies the stored raw samples of a key into the state samples. Compares `key` by its canonical name. */
  promoteKey(companyRef: CompanyRef, machineRef: MachineRef, key: string): Promise<void>
}

/** Hourly documents. */
export interface HourStore {
  /**
   * Writes documents; a document replaces one of the same (company, machine, slot) with a lower version. Documents may
   * belong to several months.
   */
  writeDocuments(documents: readonly VersionedDocument[]): Promise<void>
  /** Returns `stateOut` of each machine's document of the hour; machines without a document are missing. */
  readStates(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    slotMs: number,
  ): Promise<ReadonlyMap<number, string>>
  /**
   * Returns the links of the stored documents in [fromMs, toMs), by machine, ascending by slot. The bounds are whole
   * hours.
   */
  readLinks(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly HourLink[]>
  /** Returns the first and last stored hour of each machine; machines without documents are missing. */
  readExtents(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly Extent[]>
  /**
   * Returns hours whose start state differs from the end state of the previous hour, and hours whose previous hour is missing together with
   * the missing hours before; by machine and time.
   */
  readBrokenLinks(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly HourRange[]>
}

/** Progress of the processors. */
export interface ProgressStore {
  /**
   * Returns the offset in records.v1 up to which the documents of a partition contain all changes of records; null if
   * none is stored.
   */
  readRecordsOffset(partition: number): Promise<number | null>
  /** Returns these offsets by partition; partitions without one are missing. */
  readRecordsOffsets(): Promise<ReadonlyMap<number, number>>
  writeRecordsOffsets(offsets: readonly PartitionRecordsOffset[]): Promise<void>
  /** Returns the highest fence in any stored version; 0 if the store is empty. */
  readHighestFence(): Promise<number>
}

/**
 * Offset in records.v1 up to which the documents of a partition contain all changes of records. A row replaces one with
 * a lower version.
 */
export interface PartitionRecordsOffset {
  readonly partition: number
  readonly recordsOffset: number
  readonly version: bigint
}

/**
 * Day documents (aggregated hours of whole shop days), and the coverage rows that state which day documents reports may
 * read.
 */
export interface DayStore {
  /**
   * Builds the day documents of machines from stored hours; a machine without hours gets an empty document. `days` are
   * consecutive. Returns the duration of the statement, ms. The statement may also build days of other machines.
   */
  buildDays(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    days: readonly ShopDay[],
    version: bigint,
  ): Promise<number>
  /**
   * Returns the coverage rows of a partition: for each company the epoch row (`startMs = endMs = 0`), and the days that
   * the partition covers in that epoch.
   */
  readCoverage(partition: number, companies: readonly CompanyRef[]): Promise<readonly StoredCoverage[]>
  /** Writes all rows or none; a row replaces one of the same (company, partition, start, end) with a lower version. */
  writeCoverage(rows: readonly CoverageRow[]): Promise<void>
  /** Returns every machine's day of these companies that has a stale mark. */
  readStaleDays(companies: readonly CompanyRef[]): Promise<readonly MachineDay[]>
  /** Sets or removes stale marks; a row replaces one of the same machine, start and end with a lower version. */
  writeStaleDays(rows: readonly StaleDayRow[]): Promise<void>
}

/** Shop day of a company by its start and end, UTC ms. It has 23, 24 or 25 hours, and may begin within a UTC hour. */
export interface ShopDay {
  readonly startMs: number
  readonly endMs: number
  /** `YYYY-MM-DD` */
  readonly shopDate: string
}

export interface StoredCoverage {
  readonly companyRef: CompanyRef
  readonly startMs: number
  readonly endMs: number
  readonly partitions: number
  readonly epoch: bigint
}

export interface CoverageRow extends StoredCoverage {
  readonly partition: number
  readonly covered: boolean
  /** No machine of the partition has documents before this time, UTC ms; Infinity if the partition has no machines. */
  readonly firstMs: number
  readonly version: bigint
}

export interface MachineDay {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly startMs: number
  readonly endMs: number
}

export interface StaleDayRow extends MachineDay {
  readonly stale: boolean
  readonly version: bigint
}

export interface VersionedDocument extends HourDocument {
  /** `fence << 40 | sequence number`: later writes have higher versions. */
  readonly version: bigint
}

/** A sample that is ignored because an earlier sample has the same sequence number and key. */
export interface SupersededCopy {
  readonly machineRef: MachineRef
  readonly atUs: number
  readonly key: string
  readonly sequence: number
  /** Whether this call marked it as superseded; false if it was marked before. */
  readonly isNew: boolean
}

export interface HourLink {
  readonly machineRef: MachineRef
  readonly slotMs: number
  readonly hashIn: string
  /** State at the end of the hour, for the first hour of the range only; '' for later hours. */
  readonly stateOut: string
}

export interface Extent {
  readonly machineRef: MachineRef
  readonly firstSlotMs: number
  readonly lastSlotMs: number
}
