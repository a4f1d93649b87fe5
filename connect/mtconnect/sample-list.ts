import { latestUs } from '../../ingest/decode/validate.ts'
import type { WireSample } from '../../schema/topics.ts'
import type { ItemState } from './item-state.ts'
import type { Content } from './observation-contents.ts'
import type { Sequence } from './sequence.ts'

/** A time in two forms: UTC µs, and the text of a sample. */
export interface Instant {
  readonly atUs: number
  readonly text: string
}

type Names = Pick<ItemState, 'machineIds' | 'type' | 'subtype' | 'category'>

/** The samples of a document, in the order in which they are added. */
export class SampleList {
  /** Number of the agent's run in samples. */
  run = 0
  /** Time of the newest sample of each machine, UTC µs, also of earlier documents; not of those that ingest rejects. */
  readonly newestUs: Map<string, number>
  /** Machines with a newer sample since the last call of `takeNewest`. */
  readonly #advanced = new Set<string>()
  #samples: WireSample[] = []
  #latestUs = Infinity

  constructor(newestUs: Iterable<readonly [string, number]> = []) {
    this.newestUs = new Map(newestUs)
  }

  /** The next samples are received at a time, UTC µs. */
  received(atUs: number): void {
    this.#latestUs = latestUs(atUs / 1000)
  }

  /** Whether ingest rejects a time, because the clock of the source is wrong. */
  isAhead(atUs: number): boolean {
    return atUs > this.#latestUs
  }

  /** Removes and returns the samples. */
  take(): readonly WireSample[] {
    const samples = this.#samples
    this.#samples = []
    return samples
  }

  /** Returns the times of the newest samples that have changed since the last call, UTC µs. */
  takeNewest(): readonly (readonly [machineId: string, atUs: number])[] {
    const newest = [...this.#advanced].map(id => [id, this.newestUs.get(id) ?? 0] as const)
    this.#advanced.clear()
    return newest
  }

  /** Adds a sample for each machine. `sequence`: of the observation; null: the sample has no number. */
  add(names: Names, content: Content, { atUs, text }: Instant, sequence: Sequence | null): void {
    const { type, subtype, category } = names
    const { key, value, details, isNumbered } = content
    const isSafe = isNumbered === true && typeof sequence === 'number'
    for (const machineId of names.machineIds) {
      const sample: { -readonly [Field in keyof WireSample]: WireSample[Field] } = {
        machineId,
        timestamp: text,
        key,
        type,
        value,
        category,
      }
      if (subtype !== '') sample.subtype = subtype
      if (details?.nativeCode) sample.nativeCode = details.nativeCode
      if (details?.nativeSeverity) sample.nativeSeverity = details.nativeSeverity
      if (details?.qualifier) sample.qualifier = details.qualifier
      if (details?.message) sample.message = details.message
      if (isSafe) {
        sample.instanceId = this.run
        sample.sequence = sequence
      }
      this.#samples.push(sample)
      if (this.isAhead(atUs) || atUs <= (this.newestUs.get(machineId) ?? -Infinity)) continue
      this.newestUs.set(machineId, atUs)
      this.#advanced.add(machineId)
    }
  }
}
