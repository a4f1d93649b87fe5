/** Interval in which shift and cell are constant. */
export interface CalendarSpan {
  readonly startMs: number
  readonly endMs: number
  /**
   * Start of the cell: the latest start of a local hour or shop day at or before `startMs`, which may be before the
   * requested range.
   */
  readonly cellMs: number
  /** `ref` of the shift in force; 0 outside shifts. */
  readonly shift: number
  /** Whether the shift is optional; false outside shifts. */
  readonly optional: boolean
  /**
   * Whether the time is non-optional: not in optional shifts, and outside shifts only if no version or exception is in
   * force on the date.
   */
  readonly nonOptional: boolean
}

/** A bucket of a time grouping, with its full bounds. */
export interface Bucket {
  readonly startMs: number
  readonly endMs: number
  /** Shop date at the start of the bucket, `YYYY-MM-DD`. */
  readonly shopDate: string
}

export type BucketUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter'

/** Half-open range, UTC ms. */
export interface TimeRange {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Calendar for a company's settings and one schedule. Instants are UTC ms; dates are `YYYY-MM-DD` (otherwise a
 * RangeError is thrown).
 */
export interface Calendar {
  /**
   * Returns spans that cover [fromMs, toMs) without gap or overlap. They are cut only at starts of local hours and shop
   * days, and where shift or nonOptional change. Fast for one UTC hour at a time.
   */
  readonly spans: (fromMs: number, toMs: number) => readonly CalendarSpan[]
  /** Returns the date of the shop day that contains an instant. */
  readonly shopDate: (atMs: number) => string
  /**
   * Returns the bounds of a shop day: from the start of day on the date to that on the next date, 23, 24 or 25 hours.
   */
  readonly shopDayBounds: (date: string) => TimeRange
  /** Returns the buckets that overlap [fromMs, toMs), ascending, each with its full bounds. */
  readonly bucketsOf: (unit: BucketUnit, fromMs: number, toMs: number) => readonly Bucket[]
  /** Returns the range from the first shop day to the last, both included. */
  readonly dayRange: (startDay: string, endDay: string) => TimeRange
  /** Returns the instant with the same local time, `days` dates earlier. */
  readonly sameLocalTimeDatesBefore: (atMs: number, days: number) => number
}
