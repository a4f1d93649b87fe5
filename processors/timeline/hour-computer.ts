import { hourMs } from '../../shared/time/units.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { Sample, SeenMinute } from '../../schema/sample.ts'
import type { CalendarSpan } from '../calendar/types.ts'
import { computeHour } from './compute-hour.ts'
import { eventsWithin, overlapping, overlappingDisjoint } from './intervals.ts'
import { staleFrom } from './staleness.ts'
import type { MachineState } from './state.ts'
import type { HourResult, MachineInputs, RunSpan } from './types.ts'

/** An hour without samples that ended as it began. */
interface QuietHour {
  readonly result: HourResult<MachineState>
  readonly calendar: readonly CalendarSpan[]
}

/**
 * Computes hours of one machine, mostly in order, as `computeHour` does. An hour without events that follows such an hour reuses its
 * document at its own start: the two share their arrays, so that years without a sample cost little.
 */
export class HourComputer {
  readonly #inputs: MachineInputs
  #last: QuietHour | null = null

  constructor(inputs: MachineInputs) {
    this.#inputs = inputs
  }

  /** `computeHour` of the machine. */
  compute(
    slotMs: number,
    stateIn: MachineState,
    samples: readonly Sample[],
    seen: readonly SeenMinute[],
  ): HourResult<MachineState> {
    if (samples.length > 0 || seen.length > 0) return computeHour(this.#inputs, slotMs, stateIn, samples, seen)
    const calendar = this.#inputs.calendar(slotMs, slotMs + hourMs)
    const result = this.#repeated(slotMs, stateIn, calendar) ?? computeHour(this.#inputs, slotMs, stateIn, [], [])
    this.#last = result.stateOut === stateIn ? { result, calendar } : null
    return result
  }

  /** The result of the previous hour, for this hour; null if they may differ. */
  #repeated(slotMs: number, stateIn: MachineState, calendar: readonly CalendarSpan[]): HourResult<MachineState> | null {
    if (this.#last?.result.stateOut !== stateIn) return null
    const { result } = this.#last
    const { document } = result
    const isNext = document.slotMs + hourMs === slotMs
    if (!isNext || !saysSame(this.#last.calendar, calendar)) return null
    // A record that began within the hour would begin within each of them.
    if (document.downtimes.some(({ recordStartMs }) => recordStartMs >= document.slotMs)) return null
    if (!isEven(this.#inputs, stateIn, document.slotMs, slotMs + hourMs)) return null
    return { document: atSlot(document, slotMs), stateOut: stateIn, passedOver: result.passedOver }
  }
}

/** Returns the document of another hour. Every property by name: a spread takes several times as long. */
function atSlot(document: HourDocument, slotMs: number): HourDocument {
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

/** Whether two hours in a row have the same calendar, each from its own start. */
function saysSame(before: readonly CalendarSpan[], after: readonly CalendarSpan[]): boolean {
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

/** Whether nothing but the calendar begins, ends or happens at an instant of [fromMs, toMs]. */
function isEven(inputs: MachineInputs, state: MachineState, fromMs: number, toMs: number): boolean {
  const isWithin = (atMs: number | null) => atMs !== null && atMs >= fromMs && atMs <= toMs
  const goesOn = ({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) =>
    !isWithin(startMs) && !isWithin(endMs)
  const runGoesOn = (run: RunSpan) => goesOn(run) && !isWithin(run.productionMs)
  const { commissioned, settings, runs, annotations, operators, adjustments } = inputs
  return (
    !isWithin(commissioned.fromMs) &&
    !isWithin(commissioned.createdMs) &&
    !isWithin(commissioned.toMs) &&
    !isWithin(staleFrom(settings, state.lastSeenMs)) &&
    overlappingDisjoint(runs, fromMs, toMs).every(runGoesOn) &&
    overlappingDisjoint(annotations, fromMs, toMs).every(goesOn) &&
    overlapping(operators, fromMs, toMs).every(goesOn) &&
    eventsWithin(adjustments, fromMs, toMs).length === 0
  )
}
