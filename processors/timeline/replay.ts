import { hourMs } from '../../shared/time/units.ts'
import type { Sample, ActivityMinute } from '../../schema/sample.ts'
import { staleBits, statusOf, type Bits } from './bits.ts'
import { mayGoStale, staleFrom } from './staleness.ts'
import type { ActiveCondition, MachineState } from './state.ts'
import type { EndedCondition } from './conditions.ts'
import { Machine, type Addition } from './machine.ts'
import type { MachineInputs } from './types.ts'

/** The machine has the state `bits` from `atMs` until the next change. */
export interface StateChange {
  readonly atMs: number
  readonly bits: Bits
}

/** Result of a machine's samples of one hour, without shifts and job runs. */
export interface Replay {
  /** Ascending, adjacent changes differ; the first one is at the start of the hour. */
  readonly changes: readonly StateChange[]
  /** Ascending, at most one per millisecond. */
  readonly additions: readonly Addition[]
  readonly endedConditions: readonly EndedCondition[]
  readonly activeConditions: readonly ActiveCondition[]
  /** Number of samples that were skipped because they raise conditions beyond `conditionLimits`. */
  readonly skippedSamples: number
  /** First sample in the hour, UTC ms; null if there is none. */
  readonly firstSeenMs: number | null
  /** `stateIn` after the samples; the same object if they changed nothing. */
  readonly state: MachineState
}

type ReplayInputs = Pick<MachineInputs, 'settings' | 'commissioned'>

/**
 * Replays samples (sorted, distinct) and activity minutes (ascending) of the hour at `slotMs`, starting from `stateIn`. A state
 * lasts until the next change, the start of a stale period, or the end of the hour.
 */
export function replay(
  inputs: ReplayInputs,
  slotMs: number,
  stateIn: MachineState,
  samples: readonly Sample[],
  seen: readonly ActivityMinute[],
): Replay {
  const replayer = new Replayer(inputs, slotMs, stateIn)
  const firstSeenMs = firstSeenIn(samples, seen)
  const instants = mayGoStale(inputs.settings) ? instantsOf(seen) : noInstants
  replayer.run(samples, instants)
  return replayer.finish(firstSeenMs, samples.length > 0)
}

const noInstants: readonly number[] = []

function instantsOf(seen: readonly ActivityMinute[]): readonly number[] {
  return seen.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs])
}

function firstSeenIn(samples: readonly Sample[], seen: readonly ActivityMinute[]): number | null {
  const firstMs = Math.min(samples[0] ? millisecondOf(samples[0]) : Infinity, seen[0]?.firstMs ?? Infinity)
  return firstMs === Infinity ? null : firstMs
}

function millisecondOf({ atUs }: Sample): number {
  return Math.floor(atUs / 1000)
}

/** Returns the index after the samples of the millisecond `atMs`, which start at index `from`. */
function endOf(samples: readonly Sample[], from: number, atMs: number): number {
  const endUs = (atMs + 1) * 1000
  let index = from
  while ((samples[index]?.atUs ?? Infinity) < endUs) index++
  return index
}

class Replayer {
  readonly #inputs: ReplayInputs
  readonly #slotMs: number
  readonly #stateIn: MachineState
  readonly #machine: Machine
  readonly #changes: StateChange[] = []
  #bits: Bits
  #lastSeenMs: number | null
  #statusSinceMs: number | null

  constructor(inputs: ReplayInputs, slotMs: number, stateIn: MachineState) {
    this.#inputs = inputs
    this.#slotMs = slotMs
    this.#stateIn = stateIn
    this.#machine = new Machine(stateIn, inputs.settings)
    this.#lastSeenMs = mayGoStale(inputs.settings) ? stateIn.lastSeenMs : null
    this.#statusSinceMs = stateIn.statusSinceMs
    this.#bits = this.#machine.bits
    this.#push(slotMs, this.#staleFromMs < slotMs ? staleBits : this.#bits)
  }

  /** When the machine becomes stale without further samples, UTC ms; Infinity if never. */
  get #staleFromMs(): number {
    return staleFrom(this.#inputs.settings, this.#lastSeenMs)
  }

  run(samples: readonly Sample[], instants: readonly number[]): void {
    let sampleIndex = 0
    let instantIndex = 0
    while (sampleIndex < samples.length || instantIndex < instants.length) {
      const sample = samples[sampleIndex]
      const atMs = Math.min(sample ? millisecondOf(sample) : Infinity, instants[instantIndex] ?? Infinity)
      const wasStale = this.#recordSeen(atMs)
      const end = endOf(samples, sampleIndex, atMs)
      if (wasStale) this.#machine.endStalePeriod(samples.slice(sampleIndex, end))
      this.#applySamples(samples, sampleIndex, end, atMs)
      if (end > sampleIndex || wasStale) this.#settle(atMs)
      sampleIndex = end
      while (instantIndex < instants.length && (instants[instantIndex] ?? Infinity) <= atMs) instantIndex++
    }
  }

  /** Records a sample at `atMs`; returns whether the machine was stale before. */
  #recordSeen(atMs: number): boolean {
    const staleFromMs = this.#staleFromMs
    if (mayGoStale(this.#inputs.settings)) this.#lastSeenMs = atMs
    if (atMs <= staleFromMs) return false
    if (staleFromMs >= this.#slotMs) this.#push(staleFromMs, staleBits)
    this.#setState(staleBits, staleFromMs)
    return true
  }

  /** Applies the samples [from, end), which are of one millisecond. */
  #applySamples(samples: readonly Sample[], from: number, end: number, atMs: number): void {
    for (let index = from; index < end; index++) {
      const sample = samples[index]
      if (sample) this.#machine.apply(sample, atMs)
    }
  }

  #settle(atMs: number): void {
    this.#machine.settle(atMs)
    const { bits } = this.#machine
    this.#setState(bits, atMs)
    this.#push(atMs, bits)
  }

  #setState(bits: Bits, atMs: number): void {
    if (statusOf(bits) !== statusOf(this.#bits)) this.#statusSinceMs = atMs
    this.#bits = bits
  }

  #push(atMs: number, bits: Bits): void {
    const last = this.#changes.at(-1)
    if (last?.bits === bits) return
    if (last?.atMs === atMs) this.#changes.pop()
    if (this.#changes.at(-1)?.bits !== bits) this.#changes.push({ atMs, bits })
  }

  finish(firstSeenMs: number | null, hadSamples: boolean): Replay {
    const endMs = this.#slotMs + hourMs
    if (this.#staleFromMs < endMs) this.#push(Math.max(this.#staleFromMs, this.#slotMs), staleBits)
    return {
      changes: this.#changes,
      additions: this.#machine.additions,
      endedConditions: this.#machine.conditions.ended,
      activeConditions: hadSamples ? this.#machine.conditions.active : this.#stateIn.conditions,
      skippedSamples: this.#machine.conditions.skippedSamples,
      firstSeenMs,
      state: this.#stateOut(firstSeenMs, hadSamples),
    }
  }

  #stateOut(firstSeenMs: number | null, hadSamples: boolean): MachineState {
    const before = this.#stateIn
    const seen = {
      firstSeenMs: this.#carriedFirstSeen(before.firstSeenMs ?? firstSeenMs),
      lastSeenMs: this.#lastSeenMs,
      statusSinceMs: this.#statusSinceMs,
    }
    const isSeenUnchanged =
      seen.firstSeenMs === before.firstSeenMs &&
      seen.lastSeenMs === before.lastSeenMs &&
      seen.statusSinceMs === before.statusSinceMs
    if (!hadSamples && isSeenUnchanged) return before
    return { ...before, ...this.#machine.stateOut, ...seen }
  }

  /**
   * Returns the time of the first sample as long as it can determine the start of the machine's time: until the
   * machine's creation, if no start is set. The hour that starts exactly at the creation still needs it, for alarms
   * that ended at its start.
   */
  #carriedFirstSeen(firstSeenMs: number | null): number | null {
    const { fromMs, createdMs } = this.#inputs.commissioned
    return fromMs === null && createdMs >= this.#slotMs + hourMs ? firstSeenMs : null
  }
}
