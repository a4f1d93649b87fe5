import type { Sample } from '../../schema/sample.ts'
import { bitsOf, type Bits } from './bits.ts'
import { Conditions } from './conditions.ts'
import { count, countIncrement } from './counters.ts'
import { Executions } from './executions.ts'
import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import { roleOf, type SampleRole } from './names.ts'
import { Signals } from './signals.ts'
import type { Counter, MachineState } from './state.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import { parseDecimal } from './values.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Parts that the samples of one millisecond add. */
export interface Addition {
  readonly atMs: number
  readonly parts: number
  /** Whether any single sample added more than 0 parts, which starts auto-production. */
  readonly raised: boolean
}

/** Replays the samples of a machine: its state by its last values, regardless of the time since. */
export class Machine {
  readonly #settings: StateSettings
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
    this.executions = new Executions(state.executions, settings)
    this.conditions = new Conditions(state.conditions)
    this.#signals = new Signals(state, settings)
    this.#counters = new Map(state.counters)
  }

  /** Applies the end of a stale period. `samples`: those of this millisecond, which are applied next. */
  endStalePeriod(samples: readonly Sample[]): void {
    const executed = samples.filter(sample => roleOf(sample) === 'execution')
    this.executions.endStalePeriod(new Set(executed.map(({ key }) => cachedCanonicalName(key))))
  }

  /** Applies one sample of the millisecond `atMs`. */
  apply(sample: Sample, atMs: number): void {
    const role = roleOf(sample)
    const name = cachedCanonicalName(sample.key)
    if (role === 'execution') this.#applyExecution(name, sample.value)
    else if (role === 'condition') this.conditions.apply(sample, atMs)
    this.#signals.apply(sample, role, name, atMs)
    if (isCounter(role, name, this.#settings)) this.#applyCount(name, sample.value)
  }

  #applyExecution(name: string, value: string): void {
    const { cycles, programs } = this.executions.apply(name, value.toUpperCase())
    this.#cycles += cycles
    this.#add(programs)
  }

  #applyCount(name: string, value: string): void {
    const number = parseDecimal(value)
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

  /**
   * Completes the millisecond `atMs`: cycles that ended in it add parts, unless the machine is UNAVAILABLE after it.
   */
  settle(atMs: number): void {
    this.conditions.settle(atMs)
    if (this.#cycles > 0 && this.executions.available) this.#add(this.#cycles)
    if (this.#added !== 0 || this.#raised) this.additions.push({ atMs, parts: this.#added, raised: this.#raised })
    this.#added = 0
    this.#raised = false
    this.#cycles = 0
  }

  /** State at the last completed millisecond. */
  get bits(): Bits {
    const { executions, conditions } = this
    const { spindle, cut, stopped } = this.#signals
    if (!executions.available) return bitsOf('UNAVAILABLE', executions.inCycle, spindle, cut)
    const status = conditions.hasFault || stopped ? 'FAULT' : executions.inCycle ? 'ACTIVE' : 'INACTIVE'
    return bitsOf(status, executions.inCycle, spindle, cut)
  }

  /** State that the next hour starts from. */
  get stateOut() {
    return {
      executions: [...this.executions.values].sort(byKey),
      ...this.#signals.stateOut,
      conditions: this.conditions.active,
      counters: [...this.#counters].sort(byKey),
    }
  }
}

/** Returns whether the values of a key (canonical name) are those of a part counter that counts. */
export function isCounter(role: SampleRole, name: string, { partCounter, partCountKey }: StateSettings): boolean {
  if (partCounter !== 'counter' && partCounter !== 'increment') return false
  return partCountKey === null ? role === 'count' : cachedCanonicalName(partCountKey) === name
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareTexts(a[0], b[0])
}
