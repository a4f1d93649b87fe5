/** A stretch of time on which the calendar says one thing. */
export interface CalendarSpan {
  readonly startMs: number
  readonly endMs: number
  /** The latest bound of a local hour or of a shop day at or before `startMs`: may lie before the range that was asked for. */
  readonly cellMs: number
  /** `ref` of the shift in force; 0: no shift. */
  readonly shift: number
  /** Whether that shift is optional; false without one. */
  readonly optional: boolean
  /** `nonOptional(t)` of the semantics: false in optional shifts, and outside shifts where a version or exception is in force on the date. */
  readonly nonOptional: boolean
}

/** A bucket of a time grouping with its natural bounds. */
export interface Bucket {
  readonly startMs: number
  readonly endMs: number
  /** The shop date the bucket starts with, `YYYY-MM-DD`. */
  readonly shopDate: string
}

export type BucketUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter'
