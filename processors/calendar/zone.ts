import { Temporal } from 'temporal-polyfill'
import { type DayNumber, modulo } from '../../shared/time/local-date.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'

/** A stretch on which a zone's offset from UTC is one and the same. Ends are infinite where the rules name no change. */
interface Region {
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

/** The rules of one IANA time zone. Instants are UTC ms; times of day are ms since midnight on the wall clock. */
export interface Zone {
  /** Local time minus UTC at an instant. */
  offsetMs(atMs: number): number
  /** The instant of a wall time; in a gap it moves forward by the gap, and of two it is the first (Temporal's `compatible`). */
  instantOf(day: DayNumber, timeMs: number): number
  /** The date on the wall at an instant. */
  localDay(atMs: number): DayNumber
  /** The instant with this wall time `days` dates earlier. */
  daysBefore(atMs: number, days: number): number
  /**
   * Every full local hour and every change of the offset, ascending: from the last one at or before `fromMs` up to the first one
   * at or after `toMs`.
   */
  hourBounds(fromMs: number, toMs: number): number[]
}

/**
 * Zone rules by Temporal. Stretches of equal offset are remembered, since every Temporal call takes tens of µs. Throws a
 * RangeError on an unknown zone.
 */
export function createZone(timeZone: string): Zone {
  const region = createRegions(timeZone)
  const offsetMs = (atMs: number): number => region(atMs).offsetMs
  const toInstant = (wallMs: number): number => {
    const before = region(wallMs - dayMs)
    // One offset a day to either side: the wall time exists exactly once.
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

/** The last full local hour at or before an instant, by the offset of that instant. */
function fullHour(atMs: number, { offsetMs }: Region): number {
  return atMs - modulo(atMs + offsetMs, hourMs)
}

/** Finds the interval of constant offset at an instant; Temporal is called once for each. */
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
  // 'previous' is strictly before: asked one ms later it finds a change at this very instant.
  const previous = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const next = at.getTimeZoneTransition('next')
  return {
    fromMs: previous?.epochMilliseconds ?? -Infinity,
    toMs: next?.epochMilliseconds ?? Infinity,
    offsetMs: at.offsetNanoseconds / 1e6,
  }
}
