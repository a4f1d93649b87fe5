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
  /** The days from which it was picked. */
  readonly of: CompanyDays
  /** The backfill of this slice; null: a rebuild of stale days. */
  readonly backfill: Backfill | null
  /** Stale marks that it clears, as they were when it was picked. */
  readonly marks: readonly PlacedMark[]
}

export interface PlacedMark {
  readonly day: ShopDay
  readonly machineRef: MachineRef
  readonly mark: StaleMark
}

/** Days that are built for all machines, some machines at a time. */
export interface Backfill {
  readonly of: CompanyDays
  readonly days: readonly ShopDay[]
  readonly machines: readonly MachineRef[]
  /** How many of the machines are done. */
  done: number
}

/** Machine-days of one statement: about 0.25 s of the engine for busy days, so that reads of the pipeline do not wait long. */
export const machineDays = 250
/** Days of one statement, which writes a part for each of their months (before 2025: for each year). */
export const daysPerTask = 1_000
