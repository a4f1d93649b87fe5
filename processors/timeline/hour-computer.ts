import { hourMs } from '../../shared/time/units.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { Sample, ActivityMinute } from '../../schema/sample.ts'
import type { CalendarSpan } from '../calendar/types.ts'
import { computeHour } from './compute-hour.ts'
import { eventsWithin, overlapping, overlappingDisjoint } from './intervals.ts'
import { staleFrom } from './staleness.ts'
import type { MachineState } from './state.ts'
import type { HourResult, MachineInputs, RunSpan } from './types.ts'

/** An hour without samples, whose state did not change. */
interface QuietHour {
  readonly result: HourResult<MachineState>
  readonly calendar: readonly CalendarSpan[]
}

/**
 * Computes hours of one machine, mostly in order, with the same results as `computeHour`. If an hour and the previous
 * one have no events, it reuses the previous document with another start: both share their arrays, so that years
 * without samples take little time and memory.
 */
export class HourComputer {
  readonly #inputs: MachineInputs
  #last: QuietHour | null = null

  constructor(inputs: MachineInputs) {
    this.#inputs = inputs
  }

  /** Computes one hour; parameters and result are those of `computeHour`. */
  compute(
    slotMs: number,
    stateIn: MachineState,
    samples: readonly Sample[],
    seen: readonly ActivityMinute[],
  ): HourResult<MachineState> {
    if (samples.length > 0 || seen.length > 0) return computeHour(this.#inputs, slotMs, stateIn, samples, seen)
    const calendar = this.#inputs.calendar(slotMs, slotMs + hourMs)
    const result = this.#reusePrevious(slotMs, stateIn, calendar) ?? computeHour(this.#inputs, slotMs, stateIn, [], [])
    this.#last = result.stateOut === stateIn ? { result, calendar } : null
    return result
  }

  /** Returns the result of the previous hour as the result of this hour; null if they may differ. */
  #reusePrevious(
    slotMs: number,
    stateIn: MachineState,
    calendar: readonly CalendarSpan[],
  ): HourResult<MachineState> | null {
    if (this.#last?.result.stateOut !== stateIn) return null
    const { result } = this.#last
    const { document } = result
    const isNext = document.slotMs + hourMs === slotMs
    if (!isNext || !haveSameCalendar(this.#last.calendar, calendar)) return null
    // A downtime record that started within the previous hour would start again within this hour.
    if (document.downtimes.some(({ recordStartMs }) => recordStartMs >= document.slotMs)) return null
    if (!isUneventful(this.#inputs, stateIn, document.slotMs, slotMs + hourMs)) return null
    return { document: withSlot(document, slotMs), stateOut: stateIn, skippedSamples: result.skippedSamples }
  }
}

/** Returns a copy of a document for another hour. Lists all properties, because a spread is several times slower. */
function withSlot(document: HourDocument, slotMs: number): HourDocument {
  const { companyRef, machineRef, facts, downtimes, alarms, setups, segments, parts, adjustments } = document
  const { hashIn, hashOut, stateOut } = document
  return {
    companyRef,
    machineRef,
    slotMs,
    facts,
    downtimes,
    alarms,
    setups,
    segments,
    parts,
    adjustments,
    hashIn,
    hashOut,
    stateOut,
  }
}

/** Returns whether two consecutive hours have the same calendar, relative to their starts. */
function haveSameCalendar(before: readonly CalendarSpan[], after: readonly CalendarSpan[]): boolean {
  return (
    before.length === after.length &&
    before.every((span, index) => {
      const next = after[index]
      return (
        next?.startMs === span.startMs + hourMs &&
        next.endMs === span.endMs + hourMs &&
        next.cellMs === span.cellMs + hourMs &&
        next.shift === span.shift &&
        next.optional === span.optional &&
        next.nonOptional === span.nonOptional
      )
    })
  )
}

/** Returns whether no event other than of the calendar occurs at an instant of [fromMs, toMs]. */
function isUneventful(inputs: MachineInputs, state: MachineState, fromMs: number, toMs: number): boolean {
  const isWithin = (atMs: number | null) => atMs !== null && atMs >= fromMs && atMs <= toMs
  const isUnchanged = ({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) =>
    !isWithin(startMs) && !isWithin(endMs)
  const isRunUnchanged = (run: RunSpan) => isUnchanged(run) && !isWithin(run.productionMs)
  const { commissioned, settings, runs, annotations, operators, adjustments } = inputs
  return (
    !isWithin(commissioned.fromMs) &&
    !isWithin(commissioned.createdMs) &&
    !isWithin(commissioned.toMs) &&
    !isWithin(staleFrom(settings, state.lastSeenMs)) &&
    overlappingDisjoint(runs, fromMs, toMs).every(isRunUnchanged) &&
    overlappingDisjoint(annotations, fromMs, toMs).every(isUnchanged) &&
    overlapping(operators, fromMs, toMs).every(isUnchanged) &&
    eventsWithin(adjustments, fromMs, toMs).length === 0
  )
}
