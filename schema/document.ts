import type { CompanyRef, MachineRef } from './refs.ts'

/**
 * One machine and one UTC hour: everything a report can ask of it. A document is a pure function of the state carried in, the
 * machine's deciding samples of that hour and the records; it never depends on the clock: the hour is written as if the state
 * persisted to its end. All offsets are milliseconds from the hour's start, intervals half open.
 */
export interface HourDocument {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  /** Start of the UTC hour, ms. */
  readonly slotMs: number
  readonly facts: readonly Fact[]
  readonly downtimes: readonly DowntimePiece[]
  readonly alarms: readonly AlarmPiece[]
  readonly setups: readonly SetupStart[]
  readonly segments: readonly Segment[]
  readonly parts: readonly PartInstant[]
  readonly adjustments: readonly AdjustmentInstant[]
  /** `hashState` of the state carried in and out: equal neighbours are linked. Decimal text of a UInt64. */
  readonly hashIn: string
  readonly hashOut: string
  /** Serialised state after the hour: the next hour starts from it. */
  readonly stateOut: string
}

/** Machine status; the code is what is stored. */
export const statuses = ['UNAVAILABLE', 'INACTIVE', 'ACTIVE', 'FAULT'] as const
export type Status = (typeof statuses)[number]

export const modes = ['none', 'setup', 'production'] as const
export type Mode = (typeof modes)[number]

/** Reasons without a record: stored below 1. */
export const reasonCode = { uncategorized: 0, setup: -1 } as const

/** Dimensions that hold at an instant, besides the machine's own state: reports group and filter by them. */
export interface Dimensions {
  /** `ref` of the shift's definition; 0: none. */
  readonly shift: number
  /** `ref` of the job run; 0: none. */
  readonly run: number
  /** `ref`s of the operators signed in, ascending. */
  readonly operators: readonly number[]
  readonly mode: Mode
  readonly scheduled: boolean
  readonly nonOptional: boolean
}

/**
 * Sums per dimension tuple and cell. A cell is the part of the hour within one local-hour bucket and one shop day of
 * the company; `cell` is the offset of its start. (cell, dimensions) is unique within a document.
 */
export interface Fact extends Dimensions {
  readonly cell: number
  /** Offsets of the first moment of the tuple in the cell, and of the end of the last one. */
  readonly first: number
  readonly last: number
  readonly durationMs: number
  readonly inCycleMs: number
  readonly spindleMs: number
  readonly cutMs: number
  /** From samples, before any multiplier. */
  readonly parts: number
  /** Sums of part adjustments: of count (`adjusted`), and of scrapcount by behaviour (`scrap`, `nonconform`). */
  readonly adjusted: number
  readonly scrap: number
  readonly nonconform: number
}

/** Part of a downtime record within the hour, cut at cells and dimensions. */
export interface DowntimePiece extends Dimensions {
  readonly cell: number
  readonly start: number
  readonly end: number
  /** A reason's id, or a `reasonCode`. */
  readonly reason: number
  /** When the whole record began (UTC ms; hours before this one, perhaps). A record is (machine, recordStartMs). */
  readonly recordStartMs: number
}

/** An alarm instance that is active in the hour. */
export interface AlarmPiece {
  readonly key: string
  readonly nativeCode: string
  readonly message: string
  readonly level: 'WARNING' | 'FAULT'
  /** When the instance began (UTC ms); before the hour where it was carried in. */
  readonly startMs: number
  /** UTC ms; null: goes on after the hour's end (or its end isn't known yet). */
  readonly endMs: number | null
}

/** A run that starts in setup at this instant. */
export interface SetupStart extends Dimensions {
  readonly at: number
}

/**
 * A maximal interval within one cell on which everything is constant. Segments are in order and without overlap. Time
 * outside [commissioned, decommissioned) has none.
 */
export interface Segment extends Dimensions {
  readonly cell: number
  readonly start: number
  readonly end: number
  readonly status: Status
  readonly inCycle: boolean
  readonly spindle: boolean
  readonly cut: boolean
  /** Whether the time is downtime (scheduled and not in cycle), and its reason; null: no downtime. */
  readonly reason: number | null
}

/** Parts that the machine made at an instant (may be negative), with the dimensions of that instant. */
export interface PartInstant extends Dimensions {
  readonly cell: number
  readonly at: number
  readonly parts: number
}

export interface AdjustmentInstant extends Dimensions {
  readonly cell: number
  readonly at: number
  readonly count: number
  readonly scrap: number
  readonly nonconform: number
  /** The adjustment type's id; 0: uncategorized. */
  readonly type: number
}

/** Parts that a machine made at an instant, UTC ms. */
export interface PartsMade {
  readonly atMs: number
  readonly parts: number
}
