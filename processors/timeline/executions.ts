import type { PartCounter } from '../../schema/records/machine.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import type { ExecutionValue, MachineState } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'

const pauses: ReadonlySet<string> = new Set(['FEED_HOLD', 'INTERRUPTED', 'OPTIONAL_STOP', 'PROGRAM_STOPPED'])

/**
 * The EXECUTION keys of a machine, and the parts that its programs make. A key is in program from ACTIVE or WAIT on, through
 * pauses, until it is anything else.
 */
export class Executions {
  readonly #values: Map<string, ExecutionValue>
  readonly #counts: PartCounter
  /** The one key that makes parts; null: all do. */
  readonly #countedKey: string | null
  /** How many keys are in program, have a value, are in cycle: kept as values change, as a machine may name many keys. */
  #inProgram = 0
  #available = 0
  #inCycle = 0

  constructor(values: MachineState['executions'], { partCounter, partCountKey }: StateSettings) {
    this.#values = new Map()
    this.#counts = partCounter
    this.#countedKey = partCountKey === null ? null : nameOf(partCountKey)
    for (const [key, value] of values) this.#put(key, value)
  }

  /** Whether any key has a value: without one the machine is UNAVAILABLE. */
  get available(): boolean {
    return this.#available > 0
  }

  get inCycle(): boolean {
    return this.#inCycle > 0
  }

  /** Takes a key's next value and returns the parts that it completes: by cycle if that is how they are counted, or by program. */
  take(key: string, word: string): { readonly cycles: number; readonly programs: number } {
    const before = this.#values.get(key)
    const value = this.#valueOf(word, before, key)
    if (value === before) return none
    const wasInProgram = this.#inProgram > 0
    this.#put(key, value)
    const completes = value === 'completed' && before !== undefined && before !== 'unavailable'
    const ends = this.#counts === 'cycle' && wasInProgram && this.#inProgram === 0
    return completes ? oneProgram : ends ? oneCycle : none
  }

  /**
   * The machine is seen after it was stale: programs ended without a part, and keys that hold ACTIVE or WAIT are in
   * program again, except those of `told`: they have samples at this instant, which alone determine their state.
   */
  wake(told: ReadonlySet<string>): void {
    for (const [key, value] of this.#values) {
      if (value === 'paused' || (value === 'cycle' && told.has(key))) this.#put(key, 'other')
    }
  }

  get values(): MachineState['executions'] {
    return [...this.#values]
  }

  /** Distinguishes only what the settings require. */
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

const none = { cycles: 0, programs: 0 } as const
const oneCycle = { cycles: 1, programs: 0 } as const
const oneProgram = { cycles: 0, programs: 1 } as const
