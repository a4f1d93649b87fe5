import type { CompanyRef, MachineRef } from './refs.ts'

/**
 * Everything that reports need of one machine and one UTC hour. A document depends only on the state at the start of
 * the hour, the machine's state samples of that hour and the records, not on the clock: it is computed as if the last
 * state lasted until the end of the hour. Offsets are milliseconds from the start of the hour; intervals are half-open.
 */
export interface HourDocument {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  /** Start of the UTC hour, ms. */
  readonly slotMs: number
  readonly facts: readonly Fact[]
  readonly downtimes: readonly DowntimeElement[]
  readonly alarms: readonly AlarmElement[]
  readonly setups: readonly SetupStart[]
  readonly segments: readonly Segment[]
  readonly parts: readonly PartInstant[]
  readonly adjustments: readonly AdjustmentInstant[]
  /**
   * `hashState` of the state at the start (`hashIn`) and end (`hashOut`) of the hour, a UInt64 in decimal. Consecutive
   * hours are consistent if `hashOut` of the first equals `hashIn` of the second.
   */
  readonly hashIn: string
  readonly hashOut: string
  /** Serialised state at the end of the hour, from which the next hour is computed. */
  readonly stateOut: string
}

/** Machine statuses; the store contains the index in this array. */
export const statuses = ['UNAVAILABLE', 'INACTIVE', 'ACTIVE', 'FAULT'] as const
export type Status = (typeof statuses)[number]

export const modes = ['none', 'setup', 'production'] as const
export type Mode = (typeof modes)[number]

/** Codes of downtime without a reason record; ids of records are 1 or more. */
export const reasonCode = { uncategorized: 0, setup: -1 } as const

/** Dimensions, other than the machine's state, by which reports group and filter. */
export interface Dimensions {
  /** `ref` of the shift's definition; 0 outside shifts. */
  readonly shift: number
  /** `ref` of the job run; 0 without a run. */
  readonly run: number
  /** `ref`s of the signed-in operators, ascending. */
  readonly operators: readonly number[]
  readonly mode: Mode
  readonly scheduled: boolean
  readonly nonOptional: boolean
}

/**
 * Sums for one cell and one combination of dimensions, unique within a document. A cell is the part of the hour within
 * one local hour and one shop day of the company; `cell` is the offset of its start.
 */
export interface Fact extends Dimensions {
  readonly cell: number
  /** Offset of the first instant with these dimensions in the cell, and of the end of the last interval with them. */
  readonly first: number
  readonly last: number
  readonly durationMs: number
  readonly inCycleMs: number
  readonly spindleMs: number
  readonly cutMs: number
  /** Parts reported by samples, before any multiplier. */
  readonly parts: number
  /**
   * Sums of part adjustments: of `count` (`adjusted`), and of `scrapcount` by reject behavior (`scrap`, `nonconform`).
   */
  readonly adjusted: number
  readonly scrap: number
  readonly nonconform: number
}

/** Part of a downtime record within one hour, cell and combination of dimensions. */
export interface DowntimeElement extends Dimensions {
  readonly cell: number
  readonly start: number
  readonly end: number
  /** Id of a downtime reason, or a value of `reasonCode`. */
  readonly reason: number
  /**
   * Start of the whole downtime record, UTC ms, which may lie in an earlier hour. Machine and start identify a downtime
   * record.
   */
  readonly recordStartMs: number
}

/** An alarm instance that is active in the hour. */
export interface AlarmElement {
  readonly key: string
  readonly nativeCode: string
  readonly message: string
  readonly level: 'WARNING' | 'FAULT'
  /** Start of the instance, UTC ms, which may lie in an earlier hour. */
  readonly startMs: number
  /** End of the instance, UTC ms; null if it is still active at the end of the hour. */
  readonly endMs: number | null
}

/** Start of a job run in setup, at the offset `at`. */
export interface SetupStart extends Dimensions {
  readonly at: number
}

/**
 * Longest interval within one cell in which state and dimensions are constant. Segments are ordered and do not overlap.
 * Time outside [commissioned, decommissioned) has no segments.
 */
export interface Segment extends Dimensions {
  readonly cell: number
  readonly start: number
  readonly end: number
  readonly status: Status
  readonly inCycle: boolean
  readonly spindle: boolean
  readonly cut: boolean
  /**
   * Reason of the downtime (scheduled and not in cycle): id of a reason, or a value of `reasonCode`; null if the time
   * is not downtime.
   */
  readonly reason: number | null
}

/** Parts that the machine reported at an instant (may be negative), with the dimensions at that instant. */
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

/** Parts that a machine reported at an instant, UTC ms. */
export interface ReportedParts {
  readonly atMs: number
  readonly parts: number
}
