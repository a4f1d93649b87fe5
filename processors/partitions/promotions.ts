import type { Change } from '../../schema/records/record-kinds.ts'
import { namedKeys } from '../timeline/state-samples.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** A key that a machine's settings use for the first time: its past raw samples become state samples. */
export interface Promotion {
  readonly machineRef: MachineRef
  readonly key: string
  /** Offset of the record that names it. */
  readonly recordsOffset: number
}

/** Keys that a change names for the first time; a new machine has no past samples. */
export function promotionsOf(change: Change, recordsOffset: number): readonly Promotion[] {
  if (change.kind !== 'machine' || !change.before || !change.after) return []
  const { before, after } = change
  const known = namedKeys(before)
  return [...namedKeys(after)]
    .filter(key => !known.has(key))
    .map(key => ({ machineRef: after.ref, key, recordsOffset }))
}

/**
 * Promotions that wait until ingest of every samples partition has read the record: later samples of the key arrive as
 * state samples, and earlier ones are in the store.
 */
export class PendingPromotions {
  readonly #samplesPartitions: number
  readonly #followed = new Map<number, number>()
  #pending: readonly Promotion[] = []

  constructor(samplesPartitions: number) {
    this.#samplesPartitions = samplesPartitions
  }

  get size(): number {
    return this.#pending.length
  }

  add(promotions: readonly Promotion[]): void {
    this.#pending = [...this.#pending, ...promotions]
  }

  /** Notes that ingest of a samples partition has read the records up to an offset. */
  mark(samplesPartition: number, recordsOffset: number): void {
    this.#followed.set(samplesPartition, Math.max(recordsOffset, this.#followed.get(samplesPartition) ?? -1))
  }

  /** Promotions whose record every partition has read. */
  ready(): readonly Promotion[] {
    const offsets = Array.from({ length: this.#samplesPartitions }, (_, index) => this.#followed.get(index) ?? -1)
    const reached = Math.min(...offsets)
    return this.#pending.filter(promotion => promotion.recordsOffset <= reached)
  }

  done(promotion: Promotion): void {
    this.#pending = this.#pending.filter(other => other !== promotion)
  }
}
