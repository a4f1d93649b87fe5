/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { shopDayStart, wallTime } from './calendar.ts'
import { iso } from './groups.ts'
import type { Interval } from './types.ts'

/** Options of the place and the time of a plant. */
export interface PlantOptions {
  /**
   * Current time if the plant is sent to a running product, in which machines are created now; default: the plant has
   * its own clock.
   */
  readonly nowMs?: number
  /** Number (0..65535) that distinguishes the ids of one plant from those of another. */
  readonly tag?: number
  /** Whether all samples have sequence numbers, some of which several samples share. */
  readonly sharesNumbers?: boolean
}

/** Place and time of a plant: a few days around a clock change. */
export interface Scene {
  readonly timeZone: string
  readonly startOfDay: string
  readonly firstDate: Temporal.PlainDate
  readonly days: number
  /** The days of the plant, from local midnight of the first date. */
  readonly window: Interval
  /** Instants at which settings or offsets change. */
  readonly anchors: readonly number[]
  readonly options: PlantOptions
}

/** Time zones with the local dates of their clock changes; any dates for zones without clock changes. */
const places = [
  ['America/New_York', '2024-11-03'],
  ['America/New_York', '2025-03-09'],
  ['America/New_York', '2025-11-02'],
  ['Australia/Lord_Howe', '2025-04-06'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['Asia/Kolkata', '2025-06-30'],
  ['UTC', '2025-12-31'],
  ['Europe/Berlin', '2025-03-30'],
  ['Europe/Berlin', '2025-10-26'],
  ['Europe/Berlin', '2026-03-29'],
] as const

const minuteMs = 60_000

/** A random scene around a clock change. */
export function arbitraryScene(options: PlantOptions): fc.Arbitrary<Scene> {
  return fc
    .record({
      place: fc.constantFrom(...places),
      startOfDay: fc.constantFrom('00:00', '06:00', '05:30'),
      before: fc.integer({ min: 0, max: 2 }),
      days: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ place: [timeZone, date], startOfDay, before, days }) => {
      const firstDate = Temporal.PlainDate.from(date).subtract({ days: Math.min(before, days - 1) })
      const dates = Array.from({ length: days + 1 }, (_, index) => firstDate.add({ days: index }))
      const midnights = dates.map(it => wallTime(it, '00:00', timeZone))
      const window = { startMs: midnights[0] ?? 0, endMs: midnights.at(-1) ?? 0 }
      const anchors = dates.flatMap(it => [
        ...['00:00', '01:00', '01:30', '02:00', '03:00', '06:00', '14:00', '22:00'].map(time =>
          wallTime(it, time, timeZone),
        ),
        shopDayStart(it, { timeZone, startOfDay, firstDayOfWeek: 1 }),
      ])
      return {
        timeZone,
        startOfDay,
        firstDate,
        days,
        window,
        anchors: [...anchors, ...changesIn(window, timeZone)],
        options,
      }
    })
}

function changesIn({ startMs, endMs }: Interval, timeZone: string): readonly number[] {
  const start = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone)
  const next = start.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  return next < endMs ? [next] : []
}

/** A random instant in or just outside the window, UTC ms: often at an anchor or one step from it. */
export function arbitraryInstant({ anchors, window }: Scene): fc.Arbitrary<number> {
  const beside = fc.constantFrom(0, 0, 0, -1, 1, -minuteMs, minuteMs, 15 * minuteMs, -30 * minuteMs, 59_999)
  const minutes = Math.floor((window.endMs - window.startMs) / minuteMs)
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...anchors), beside).map(([at, by]) => at + by) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: minutes }).map(it => window.startMs + it * minuteMs) },
    { weight: 2, arbitrary: fc.integer({ min: window.startMs, max: window.endMs }) },
  )
}

/** A random duration, ms: from a moment to more than a day. */
export const arbitraryLengthMs: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(240 * minuteMs, 480 * minuteMs, 1500 * minuteMs),
  fc.constantFrom(1, 1000, minuteMs, 10 * minuteMs, 60 * minuteMs, 90 * minuteMs, 480 * minuteMs, 1500 * minuteMs),
  fc.integer({ min: 1, max: 2 * 86_400_000 }),
)

/** The arbitrary value, or null in `nulls` of ten cases. */
export function nullOr<T>(arbitrary: fc.Arbitrary<T>, nulls: number): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: nulls, arbitrary: fc.constant(null) }, { weight: 10 - nulls, arbitrary })
}

/** Returns `startMs` plus a length as an ISO string; null if the length is null. */
export function endAfter(startMs: number, lengthMs: number | null): string | null {
  return lengthMs === null ? null : iso(startMs + lengthMs)
}

const kinds = [
  'machine',
  'group',
  'schedule',
  'operation',
  'operator',
  'operatorRun',
  'annotation',
  'adjustment',
] as const

/** Returns a UUID that consists of the kind, a number and the tag of the plant. */
export function uuid(kind: (typeof kinds)[number], index: number, { options }: Scene): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `0000${hex(kinds.indexOf(kind), 4)}-${hex(options.tag ?? 0, 4)}-4000-8000-${hex(index, 12)}`
}
