import { Temporal } from 'temporal-polyfill'
import { type DayNumber, modulo } from '../../shared/time/local-date.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'

/** Interval in which a time zone has a constant offset from UTC. Bounds are infinite if the rules contain no change. */
interface Region {
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

/** Rules of one IANA time zone. Instants are UTC ms; times of day are local, in ms since midnight. */
export interface Zone {
  /** Returns local time minus UTC at an instant. */
  offsetMs(atMs: number): number
  /**
   * Returns the instant of a local time. A skipped local time moves forward by the gap; of a repeated one, the first is
   * returned (as `compatible` in Temporal).
   */
  instantOf(day: DayNumber, timeMs: number): number
  /** Returns the local date at an instant. */
  localDay(atMs: number): DayNumber
  /** Returns the instant with the same local time, `days` dates earlier. */
  daysBefore(atMs: number, days: number): number
  /**
   * Returns every full local hour and every change of the offset, ascending, from the last one at or before `fromMs` to
   * the first one at or after `toMs`.
   */
  hourBounds(fromMs: number, toMs: number): number[]
}

/**
 * Creates the rules of a time zone from Temporal. Intervals of constant offset are cached, because each Temporal call
 * takes tens of µs. Throws a RangeError for an unknown zone.
 */
export function createZone(timeZone: string): Zone {
  const region = createRegions(timeZone)
  const offsetMs = (atMs: number): number => region(atMs).offsetMs
  const toInstant = (wallMs: number): number => {
    const before = region(wallMs - dayMs)
    // The offset does not change within a day before or after, so the local time exists exactly once.
    if (before.toMs > wallMs + dayMs) return wallMs - before.offsetMs
    return Temporal.Instant.fromEpochMilliseconds(wallMs)
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      .toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds
  }
  return {
    offsetMs,
    instantOf: (day, timeMs) => toInstant(day * dayMs + timeMs),
    localDay: atMs => Math.floor((atMs + offsetMs(atMs)) / dayMs),
    daysBefore: (atMs, days) => toInstant(atMs + offsetMs(atMs) - days * dayMs),
    hourBounds: (fromMs, toMs) => hourBounds(region, fromMs, toMs),
  }
}

function hourBounds(region: (atMs: number) => Region, fromMs: number, toMs: number): number[] {
  const first = region(fromMs)
  const bounds = [Math.max(fullHour(fromMs, first), first.fromMs)]
  for (let at = nextBound(fromMs, first); ; at = nextBound(at, region(at))) {
    bounds.push(at)
    if (at >= toMs) return bounds
  }
}

function nextBound(atMs: number, region: Region): number {
  return Math.min(fullHour(atMs, region) + hourMs, region.toMs)
}

/** Returns the last full local hour at or before an instant, computed with the offset at that instant. */
function fullHour(atMs: number, { offsetMs }: Region): number {
  return atMs - modulo(atMs + offsetMs, hourMs)
}

/**
 * Returns a function that finds the interval of constant offset at an instant; Temporal is called once for each
 * interval.
 */
function createRegions(timeZone: string): (atMs: number) => Region {
  const known: Region[] = []
  let last = readRegion(timeZone, 0)
  known.push(last)
  return atMs => {
    if (atMs >= last.fromMs && atMs < last.toMs) return last
    const found = known.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)
    last = found ?? readRegion(timeZone, atMs)
    if (found === undefined) known.push(last)
    return last
  }
}

function readRegion(timeZone: string, atMs: number): Region {
  const at = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone)
  // 'previous' searches strictly before: one ms later it also finds a change at exactly this instant.
  const previous = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const next = at.getTimeZoneTransition('next')
  return {
    fromMs: previous?.epochMilliseconds ?? -Infinity,
    toMs: next?.epochMilliseconds ?? Infinity,
    offsetMs: at.offsetNanoseconds / 1e6,
  }
}
