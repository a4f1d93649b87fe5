import type { PartCounter } from '../../schema/records/machine.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import type { ExecutionValue, MachineState } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

const pauses: ReadonlySet<string> = new Set(['FEED_HOLD', 'INTERRUPTED', 'OPTIONAL_STOP', 'PROGRAM_STOPPED'])

/** Returns whether an EXECUTION value pauses a program. */
export function isPause(value: string): boolean {
  return pauses.has(value.toUpperCase())
}

/**
 * EXECUTION values of a machine by key, and the parts that programs complete. A key is in a program from ACTIVE or
 * WAIT, including pauses, until it has any other value.
 */
export class Executions {
  readonly #values: Map<string, ExecutionValue>
  readonly #counts: PartCounter
  /** The only key whose programs count parts; null if all do. */
  readonly #countedKey: string | null
  /**
   * Numbers of keys that are in a program, available, or in cycle. They are updated with each value, because a machine
   * may have many keys.
   */
  #inProgram = 0
  #available = 0
  #inCycle = 0

  constructor(values: MachineState['executions'], { partCounter, partCountKey }: StateSettings) {
    this.#values = new Map()
    this.#counts = partCounter
    this.#countedKey = partCountKey === null ? null : cachedCanonicalName(partCountKey)
    for (const [key, value] of values) this.#put(key, value)
  }

  /** Whether any key has a value other than UNAVAILABLE; otherwise the machine is UNAVAILABLE. */
  get available(): boolean {
    return this.#available > 0
  }

  get inCycle(): boolean {
    return this.#inCycle > 0
  }

  /** Applies the next value of a key. Returns the completed cycles and programs, if the part counter counts them. */
  apply(key: string, word: string): { readonly cycles: number; readonly programs: number } {
    const before = this.#values.get(key)
    const value = this.#valueOf(word, before, key)
    if (value === before) return noParts
    const wasInProgram = this.#inProgram > 0
    this.#put(key, value)
    const completes = value === 'completed' && before !== undefined && before !== 'unavailable'
    const ends = this.#counts === 'cycle' && wasInProgram && this.#inProgram === 0
    return completes ? oneProgram : ends ? oneCycle : noParts
  }

  /**
   * Applies the end of a stale period: programs that were in progress have ended without a part, and keys with ACTIVE
   * or WAIT start a program. Exception: `sampledKeys` have samples at this instant, which determine their state.
   */
  endStalePeriod(sampledKeys: ReadonlySet<string>): void {
    for (const [key, value] of this.#values) {
      if (value === 'paused' || (value === 'cycle' && sampledKeys.has(key))) this.#put(key, 'other')
    }
  }

  get values(): MachineState['executions'] {
    return [...this.#values]
  }

  /** Returns the value of a word, as far as the settings require a distinction. */
  #valueOf(word: string, before: ExecutionValue | undefined, key: string): ExecutionValue {
    if (word === 'ACTIVE' || word === 'WAIT') return 'cycle'
    if (word === 'UNAVAILABLE') return 'unavailable'
    if (!this.#isCounted(key)) return 'other'
    if (this.#counts === 'program' && word === 'PROGRAM_COMPLETED') return 'completed'
    const wasInProgram = before === 'cycle' || before === 'paused'
    return this.#counts === 'cycle' && wasInProgram && pauses.has(word) ? 'paused' : 'other'
  }

  #isCounted(key: string): boolean {
    return this.#countedKey === null || this.#countedKey === key
  }

  #put(key: string, value: ExecutionValue): void {
    const before = this.#values.get(key)
    if (before !== undefined) this.#count(key, before, -1)
    this.#count(key, value, 1)
    this.#values.set(key, value)
  }

  #count(key: string, value: ExecutionValue, by: number): void {
    if (value !== 'unavailable') this.#available += by
    if (value === 'cycle') this.#inCycle += by
    const isIn = this.#counts === 'cycle' && (value === 'cycle' || value === 'paused') && this.#isCounted(key)
    if (isIn) this.#inProgram += by
  }
}

const noParts = { cycles: 0, programs: 0 } as const
const oneCycle = { cycles: 1, programs: 0 } as const
const oneProgram = { cycles: 0, programs: 1 } as const
