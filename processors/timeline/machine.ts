import type { Sample } from '../../schema/sample.ts'
import { bitsOf, type Bits } from './bits.ts'
import { Conditions } from './conditions.ts'
import { count, countIncrement } from './counters.ts'
import { Executions } from './executions.ts'
import { nameOf } from '../../schema/canonical-name.ts'
import { roleOf, type SampleRole } from './names.ts'
import { Signals } from './signals.ts'
import type { Counter, MachineState } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import { compareTexts, decimalOf } from './values.ts'

/** Parts that the samples of one millisecond added. */
export interface Addition {
  readonly atMs: number
  readonly parts: number
  /** Whether any single addition was above 0: what auto-production waits for. */
  readonly raised: boolean
}

/** A machine while its samples are replayed: the state by its last values, whatever the time since. */
export class Machine {
  readonly #settings: StateSettings
  readonly #countedKey: string | null
  readonly executions: Executions
  readonly conditions: Conditions
  readonly #signals: Signals
  readonly #counters: Map<string, Counter>
  readonly additions: Addition[] = []
  #added = 0
  #raised = false
  #cycles = 0

  constructor(state: MachineState, settings: StateSettings) {
    this.#settings = settings
    this.#countedKey = settings.partCountKey === null ? null : nameOf(settings.partCountKey)
    this.executions = new Executions(state.executions, settings)
    this.conditions = new Conditions(state.conditions)
    this.#signals = new Signals(state, settings)
    this.#counters = new Map(state.counters)
  }

  /** The machine was stale until now: `samples` are those of the millisecond, which are taken next. */
  wake(samples: readonly Sample[]): void {
    const executed = samples.filter(sample => roleOf(sample) === 'execution')
    this.executions.wake(new Set(executed.map(({ key }) => nameOf(key))))
  }

  /** Takes one sample of the millisecond `atMs`. */
  take(sample: Sample, atMs: number): void {
    const role = roleOf(sample)
    const name = nameOf(sample.key)
    if (role === 'execution') this.#takeExecution(name, sample.value)
    else if (role === 'condition') this.conditions.take(sample, atMs)
    this.#signals.take(sample, role, name, atMs)
    if (this.#isCounter(role, name)) this.#takeCount(name, sample.value)
  }

  #takeExecution(name: string, value: string): void {
    const { cycles, programs } = this.executions.take(name, value.toUpperCase())
    this.#cycles += cycles
    this.#add(programs)
  }

  #isCounter(role: SampleRole, name: string): boolean {
    const { partCounter } = this.#settings
    if (partCounter !== 'counter' && partCounter !== 'increment') return false
    return this.#countedKey === null ? role === 'count' : this.#countedKey === name
  }

  #takeCount(name: string, value: string): void {
    const number = decimalOf(value)
    if (number === null || number < 0) return
    if (this.#settings.partCounter === 'increment') return this.#add(countIncrement(number, this.#settings))
    const { counter, added } = count(this.#counters.get(name), number, this.#settings)
    this.#counters.set(name, counter)
    this.#add(added)
  }

  #add(parts: number): void {
    this.#added += parts
    if (parts > 0) this.#raised = true
  }

  /** Ends the millisecond `atMs` after all its samples: cycles that ended in it made parts unless the machine is UNAVAILABLE now. */
  settle(atMs: number): void {
    this.conditions.settle(atMs)
    if (this.#cycles > 0 && this.executions.available) this.#add(this.#cycles)
    if (this.#added !== 0 || this.#raised) this.additions.push({ atMs, parts: this.#added, raised: this.#raised })
    this.#added = 0
    this.#raised = false
    this.#cycles = 0
  }

  /** State at the instant last settled. */
  get bits(): Bits {
    const { executions, conditions } = this
    const { spindle, cut, stopped } = this.#signals
    if (!executions.available) return bitsOf('UNAVAILABLE', executions.inCycle, spindle, cut)
    const status = conditions.anyFault || stopped ? 'FAULT' : executions.inCycle ? 'ACTIVE' : 'INACTIVE'
    return bitsOf(status, executions.inCycle, spindle, cut)
  }

  /** Values of the machine that the next hour needs. */
  get kept() {
    return {
      executions: [...this.executions.values].sort(byKey),
      ...this.#signals.kept,
      conditions: this.conditions.active,
      counters: [...this.#counters].sort(byKey),
    }
  }
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareTexts(a[0], b[0])
}
