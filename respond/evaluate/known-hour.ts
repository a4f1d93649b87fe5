import { isDeepStrictEqual } from 'node:util'
import type { HistoryHour } from '../holds/machine-history.ts'
import { PackedStates, type StateTable } from './packed-states.ts'

/** Estimated size of a document without states, and of an alarm, bytes. */
const [hourBytes, alarmBytes] = [400, 200]

type Alarms = HistoryHour['alarms']

/** The facts that rules read of the last version of a document that was written or read. */
export class KnownHour {
  readonly slotMs: number
  readonly #states: PackedStates
  #alarms: Alarms
  /** Whether its last version was evaluated or noted as changed. One that was read may be newer than the last one that was noted. */
  #isNoted: boolean

  constructor({ slotMs, segments, alarms }: HistoryHour, table: StateTable, isNoted: boolean) {
    this.slotMs = slotMs
    this.#states = new PackedStates(table)
    this.#states.replace(segments)
    this.#alarms = alarms
    this.#isNoted = isNoted
  }

  get bytes(): number {
    return hourBytes + this.#states.byteLength + alarmBytes * this.#alarms.length
  }

  /** Notes a written version. Returns the instant from which on rules may see a difference, UTC ms; null: there is none. */
  replace({ segments, alarms }: HistoryHour): number | null {
    const statesMs = this.slotMs + (this.#states.replace(segments) ?? Infinity)
    const alarmsMs = Math.max(this.slotMs, findChange(this.#alarms, alarms))
    this.#alarms = alarms
    const changedMs = this.#isNoted ? Math.min(statesMs, alarmsMs) : this.slotMs
    this.#isNoted = true
    return changedMs === Infinity ? null : changedMs
  }

  /** Returns the document with the states that end after an instant, UTC ms. */
  since(fromMs: number): HistoryHour {
    return { slotMs: this.slotMs, segments: this.#states.after(fromMs - this.slotMs), alarms: this.#alarms }
  }
}

/** Returns the first start of the instances from the first different one on, UTC ms; Infinity: they are equal. */
function findChange(before: Alarms, after: Alarms): number {
  const length = Math.max(before.length, after.length)
  let index = 0
  while (index < length && isDeepStrictEqual(before[index], after[index])) index++
  return Math.min(Infinity, ...[...before.slice(index), ...after.slice(index)].map(({ startMs }) => startMs))
}
