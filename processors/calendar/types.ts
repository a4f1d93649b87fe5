/** A stretch of time on which the calendar says one thing. */
export interface CalendarSpan {
  readonly startMs: number
  readonly endMs: number
  /** The latest bound of a local hour or shop day at or before `startMs`: may be before the range. */
  readonly cellMs: number
  /** `ref` of the shift in force; 0: no shift. */
  readonly shift: number
  /** Whether that shift is optional; false without one. */
  readonly optional: boolean
  /**
   * `nonOptional(t)` of the semantics: false in optional shifts, and outside shifts where a version or exception is in force on
   * the date.
   */
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

/** Half open, UTC ms. */
export interface TimeRange {
  readonly startMs: number
  readonly endMs: number
}

/** Calendar of a company's settings and one schedule. All instants are UTC ms; dates are `YYYY-MM-DD` (anything else is a RangeError). */
export interface Calendar {
  /**
   * Covers [fromMs, toMs) without gap or overlap, cut at every bound of a local hour, at every start of a shop day and wherever shift or
   * nonOptional change, and nowhere else. Cheap for one UTC hour at a time.
   */
  readonly spans: (fromMs: number, toMs: number) => readonly CalendarSpan[]
  /** The shop day that holds an instant. */
  readonly shopDate: (atMs: number) => string
  /** From start of day on the date to start of day on the next date: 23, 24 or 25 hours. */
  readonly shopDayBounds: (date: string) => TimeRange
  /** Every bucket that overlaps [fromMs, toMs), ascending, each with its natural bounds. */
  readonly bucketsOf: (unit: BucketUnit, fromMs: number, toMs: number) => readonly Bucket[]
  /** From the first shop day to the last, both included. */
  readonly dayRange: (startDay: string, endDay: string) => TimeRange
  /** The instant with the same local time `days` dates before. */
  readonly sameLocalTimeDatesBefore: (atMs: number, days: number) => number
}
