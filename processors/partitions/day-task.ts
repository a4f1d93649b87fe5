import type { ShopDay } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { CompanyDays, StaleMark } from './company-days.ts'

/** One statement's worth of day documents. */
export interface DayTask {
  readonly companyRef: CompanyRef
  readonly machines: readonly MachineRef[]
  /** In order, without a gap. */
  readonly days: readonly ShopDay[]
  readonly version: bigint
  /** In whose memory it was picked. */
  readonly of: CompanyDays
  /** The backfill of this slice; null: a rebuild of stale days. */
  readonly backfill: Backfill | null
  /** Stale marks that it answers, as they were when it was picked. */
  readonly marks: readonly PlacedMark[]
}

export interface PlacedMark {
  readonly day: ShopDay
  readonly machineRef: MachineRef
  readonly mark: StaleMark
}

/** Days that are made for all machines, some machines at a time. */
export interface Backfill {
  readonly of: CompanyDays
  readonly days: readonly ShopDay[]
  readonly machines: readonly MachineRef[]
  /** How many of the machines are done. */
  done: number
}

/** Machine-days of one statement: of busy days about a quarter of a second of the engine, so that what the pipeline reads never waits long. */
export const machineDays = 250
/** Days of one statement, which writes a part for each of their months; those before 2025 are parts of a year. */
export const daysPerTask = 1_000
