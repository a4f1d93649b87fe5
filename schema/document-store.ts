import type { HourDocument } from './document.ts'
import type { Sample, SeenMinute } from './sample.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/**
 * Part of the columnar store that the processor needs. Every call names the company; machines are refs. Implemented in
 * `clickhouse/`.
 */
export interface DocumentStore extends SampleArchive, HourStore, DayStore, ProgressStore {}

/** One hour of one machine, by its start. */
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

/** Samples that decide state, and the minutes in which machines were seen. */
export interface SampleArchive {
  /** Idempotent: repeated rows collapse. Resolves when acknowledged. */
  writeSamples(companyRef: CompanyRef, samples: readonly Sample[]): Promise<void>
  writeSeen(companyRef: CompanyRef, seen: readonly SeenMinute[]): Promise<void>
  /** Deciding samples with `fromMs <= at < toMs`, in no particular order, perhaps repeated. */
  readSamples(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly Sample[]>
  /** How many samples `readSamples` would read, copies and repeats included. */
  countSamples(companyRef: CompanyRef, machines: readonly MachineRef[], fromMs: number, toMs: number): Promise<number>
  /**
   * Marks the later copies of samples with one number and key but different times: `readSamples` returns the first alone. Call it after
   * these samples were written. Returns the copies whose hours these samples may have changed: those among these samples, and all
   * copies of a sample that is the first.
   */
  supersedeCopies(companyRef: CompanyRef, samples: readonly Sample[]): Promise<readonly SupersededCopy[]>
  /** Seen minutes whose UTC minute lies in [fromMs, toMs), merged: one per machine and minute, ascending. */
  readSeen(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly SeenMinute[]>
  /** Earliest sample or seen minute of each machine, ms; machines never seen are missing. */
  readFirstSeen(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<ReadonlyMap<number, number>>
  /** Copies the kept raw samples of a key into the deciding samples. `key` is compared by canonical name. */
  promoteKey(companyRef: CompanyRef, machineRef: MachineRef, key: string): Promise<void>
}

/** Documents of hours. */
export interface HourStore {
  /** Rows replace those of the same (company, machine, slot) with a lower version. Rows may span months. */
  writeDocuments(documents: readonly VersionedDocument[]): Promise<void>
  /** `stateOut` of each machine's document of that hour; machines without one are missing. */
  readStates(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    slotMs: number,
  ): Promise<ReadonlyMap<number, string>>
  /** Links of the stored documents in [fromMs, toMs), which are whole hours: by machine, ascending by slot. */
  readLinks(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly HourLink[]>
  /** First and last stored hour of each machine; machines without documents are missing. */
  readExtents(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly Extent[]>
  /** Hours whose documents an earlier version computed by other rules, and that were not computed since; at most one range a day. */
  readOutdatedHours(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly HourRange[]>
  /**
   * Hours that do not start from what the hour before them ended with, or whose hour before is missing; by machine and time.
   */
  readBrokenLinks(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<readonly HourKey[]>
}

/** How far the processors are. */
export interface ProgressStore {
  /** Reads how far the records are worked into the documents of a partition; null: never. */
  readRecordsOffset(partition: number): Promise<number | null>
  /** Records offsets by partition, of the partitions that have one. */
  readRecordsOffsets(): Promise<ReadonlyMap<number, number>>
  writeRecordsOffsets(offsets: readonly PartitionRecordsOffset[]): Promise<void>
  /** The highest fence that anything stored was written under; 0: nothing is stored. */
  readHighestFence(): Promise<number>
}

/** How far the records are worked into the documents of a partition; a row of a lower version is replaced. */
export interface PartitionRecordsOffset {
  readonly partition: number
  readonly recordsOffset: number
  readonly version: bigint
}

/**
 * Day documents: hours of whole shop days, aggregated in the store, and the rows that state where readers may use them.
 */
export interface DayStore {
  /**
   * Builds the day documents of these machines from the stored hours; a machine without hours gets an empty one. Days
   * are consecutive. Resolves to the duration of the statement in ms; it may have built days of further machines.
   */
  buildDays(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    days: readonly ShopDay[],
    version: bigint,
  ): Promise<number>
  /**
   * Rows that a partition vouches for: for each company its ownership (`startMs = endMs = 0`), and the days that it
   * covers in that epoch.
   */
  readCoverage(partition: number, companies: readonly CompanyRef[]): Promise<readonly StoredCoverage[]>
  /** All rows or none; a row replaces that of the same (company, partition, bounds) with a lower version. */
  writeCoverage(rows: readonly CoverageRow[]): Promise<void>
  /** Every day of every machine of these companies that is marked as stale. */
  readStaleDays(companies: readonly CompanyRef[]): Promise<readonly MachineDay[]>
  /** Marks and unmarks; a row replaces that of the same machine and bounds with a lower version. */
  writeStaleDays(rows: readonly StaleDayRow[]): Promise<void>
}

/** A company's day by its bounds, UTC ms: 23, 24 or 25 hours, perhaps cut within a UTC hour. */
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
  /** No machine of the partition has hours before; Infinity: there is no machine. */
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
  /** `fence << 40 | running number`. */
  readonly version: bigint
}

/** A sample that is left out because an earlier one has the same number and key. */
export interface SupersededCopy {
  readonly machineRef: MachineRef
  readonly atUs: number
  readonly key: string
  readonly sequence: number
  /** Whether it was not marked before. */
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
