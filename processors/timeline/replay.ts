import { hourMs } from '../../shared/time/units.ts'
import type { Sample, SeenMinute } from '../../schema/sample.ts'
import { staleBits, statusOf, type Bits } from './bits.ts'
import { mayGoStale, staleFrom } from './staleness.ts'
import type { ActiveCondition, MachineState } from './state.ts'
import type { EndedCondition } from './conditions.ts'
import { Machine, type Addition } from './machine.ts'
import type { MachineInputs } from './types.ts'

/** From `atMs` on the machine's own state is `bits`, until the next change. */
export interface StateChange {
  readonly atMs: number
  readonly bits: Bits
}

/** Result of a machine's samples of one hour, without regard to shifts and job runs. */
export interface Replay {
  /** Ascending, neighbours differ; the first one is at the hour's start. */
  readonly changes: readonly StateChange[]
  /** Ascending, one per millisecond at most. */
  readonly additions: readonly Addition[]
  readonly endedConditions: readonly EndedCondition[]
  readonly activeConditions: readonly ActiveCondition[]
  /** Samples that raise a condition beyond `conditionLimits`. */
  readonly passedOver: number
  /** First sample in the hour, UTC ms; null: none. */
  readonly firstSeenMs: number | null
  /** `stateIn` with what the samples changed: the very same object where they changed nothing. */
  readonly state: MachineState
}

type ReplayInputs = Pick<MachineInputs, 'settings' | 'commissioned'>

/**
 * Replays the samples of the hour at `slotMs` (arranged) and the instants at which the machine was seen (ascending) on the state
 * carried in. The state persists to the hour's end, or until the machine is stale.
 */
export function replay(
  inputs: ReplayInputs,
  slotMs: number,
  stateIn: MachineState,
  samples: readonly Sample[],
  seen: readonly SeenMinute[],
): Replay {
  const replaying = new Replaying(inputs, slotMs, stateIn)
  const firstSeenMs = firstOf(samples, seen)
  const instants = mayGoStale(inputs.settings) ? instantsOf(seen) : none
  replaying.run(samples, instants)
  return replaying.finish(firstSeenMs, samples.length > 0)
}

const none: readonly number[] = []

function instantsOf(seen: readonly SeenMinute[]): readonly number[] {
  return seen.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs])
}

function firstOf(samples: readonly Sample[], seen: readonly SeenMinute[]): number | null {
  const firstMs = Math.min(samples[0] ? millisecondOf(samples[0]) : Infinity, seen[0]?.firstMs ?? Infinity)
  return firstMs === Infinity ? null : firstMs
}

function millisecondOf({ atUs }: Sample): number {
  return Math.floor(atUs / 1000)
}

/** The index after the samples of the millisecond `atMs`, which begin at `from`. */
function endOf(samples: readonly Sample[], from: number, atMs: number): number {
  const endUs = (atMs + 1) * 1000
  let index = from
  while ((samples[index]?.atUs ?? Infinity) < endUs) index++
  return index
}

class Replaying {
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

  /** When the machine goes stale unless it is seen before; Infinity: never. */
  get #staleFromMs(): number {
    return staleFrom(this.#inputs.settings, this.#lastSeenMs)
  }

  run(samples: readonly Sample[], instants: readonly number[]): void {
    let sampleIndex = 0
    let instantIndex = 0
    while (sampleIndex < samples.length || instantIndex < instants.length) {
      const sample = samples[sampleIndex]
      const atMs = Math.min(sample ? millisecondOf(sample) : Infinity, instants[instantIndex] ?? Infinity)
      const wasStale = this.#see(atMs)
      const end = endOf(samples, sampleIndex, atMs)
      if (wasStale) this.#machine.wake(samples.slice(sampleIndex, end))
      this.#takeAll(samples, sampleIndex, end, atMs)
      if (end > sampleIndex || wasStale) this.#settle(atMs)
      sampleIndex = end
      while (instantIndex < instants.length && (instants[instantIndex] ?? Infinity) <= atMs) instantIndex++
    }
  }

  /** The machine is seen at `atMs`: was it stale before? */
  #see(atMs: number): boolean {
    const staleFromMs = this.#staleFromMs
    if (mayGoStale(this.#inputs.settings)) this.#lastSeenMs = atMs
    if (atMs <= staleFromMs) return false
    if (staleFromMs >= this.#slotMs) this.#push(staleFromMs, staleBits)
    this.#enter(staleBits, staleFromMs)
    return true
  }

  /** Takes the samples from one index to another, which are those of one millisecond. */
  #takeAll(samples: readonly Sample[], from: number, end: number, atMs: number): void {
    for (let index = from; index < end; index++) {
      const sample = samples[index]
      if (sample) this.#machine.take(sample, atMs)
    }
  }

  #settle(atMs: number): void {
    this.#machine.settle(atMs)
    const { bits } = this.#machine
    this.#enter(bits, atMs)
    this.#push(atMs, bits)
  }

  #enter(bits: Bits, atMs: number): void {
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
      passedOver: this.#machine.conditions.passedOver,
      firstSeenMs,
      state: this.#stateOut(firstSeenMs, hadSamples),
    }
  }

  #stateOut(firstSeenMs: number | null, hadSamples: boolean): MachineState {
    const before = this.#stateIn
    const seen = {
      firstSeenMs: this.#keptFirstSeen(before.firstSeenMs ?? firstSeenMs),
      lastSeenMs: this.#lastSeenMs,
      statusSinceMs: this.#statusSinceMs,
    }
    const isUnseen =
      seen.firstSeenMs === before.firstSeenMs &&
      seen.lastSeenMs === before.lastSeenMs &&
      seen.statusSinceMs === before.statusSinceMs
    if (!hadSamples && isUnseen) return before
    return { ...before, ...this.#machine.kept, ...seen }
  }

  /**
   * Once the machine's creation has passed, or where its start is set, the first sample decides nothing any more. The hour that begins with the
   * creation has yet to know it: what ended at its very start may have been there before.
   */
  #keptFirstSeen(firstSeenMs: number | null): number | null {
    const { fromMs, createdMs } = this.#inputs.commissioned
    return fromMs === null && createdMs >= this.#slotMs + hourMs ? firstSeenMs : null
  }
}
