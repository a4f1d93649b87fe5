import type { Logger } from 'pino'
import type { LiveValue } from '../../api/live/values/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { pause } from '../../shared/async/waiting.ts'

/** Dependencies of `RecentValues`. */
export interface RecentValuesDeps {
  /**
   * Resolves to true when all values that were received before the call are stored, to false if that takes too long.
   */
  readonly waitUntilStored: () => Promise<boolean>
  readonly companyOf: (machineRef: MachineRef) => CompanyRef | null
  /** Called with machines whose cached values are stored now. */
  readonly onStored: (machines: ReadonlySet<MachineRef>) => void
  /** Called with machines of which values are stored now that were not cached; null: possibly any machine. */
  readonly onMissedStored: (machines: ReadonlySet<MachineRef> | null) => void
  /** Whether a subscription depends on these values. */
  readonly isWatched: () => boolean
  readonly logger: Logger
}

/** Limit of one company's cached values; above it, the values of the store are used. */
const maxValuesPerCompany = 20_000
/** Without a query or a subscription for this time, no values are cached until the next one. */
const idleMs = 60_000
const checkEveryMs = 200

/** Caches the latest values of each company that may not be stored yet. */
export class RecentValues {
  readonly #deps: RecentValuesDeps
  /** By company and cell: the value and the number of the check before which it arrived. */
  readonly #values = new Map<CompanyRef, Map<number, { readonly value: LiveValue; readonly round: number }>>()
  readonly #stopping = new AbortController()
  #round = 0
  /** By machine (null: any machine): the number of the check before which a value arrived that is not cached. */
  readonly #missed = new Map<MachineRef | null, number>()
  #queriedAtMs = -Infinity
  /** Whether all values are cached since the last query or subscription after an idle period. */
  #isAwake = false
  #isRunning = false

  constructor(deps: RecentValuesDeps) {
    this.#deps = deps
  }

  /** Whether no values are cached because no query or subscription needs them. */
  isIdle(): boolean {
    const isIdle = performance.now() - this.#queriedAtMs > idleMs && !this.#deps.isWatched()
    if (isIdle) this.#isAwake = false
    return isIdle
  }

  /** Whether a value has arrived that is neither cached here nor stored. */
  get isIncomplete(): boolean {
    return this.#missed.size > 0
  }

  /** Caches the latest value of a cell (see `LatestValues.cellOf`). */
  add(cell: number, value: LiveValue): void {
    if (this.isIdle()) return
    this.#wake()
    const companyRef = this.#deps.companyOf(value.machineRef)
    if (companyRef === null) return
    let values = this.#values.get(companyRef)
    if (!values) this.#values.set(companyRef, (values = new Map()))
    values.delete(cell)
    values.set(cell, { value, round: this.#round })
    if (values.size > maxValuesPerCompany) this.#dropOldest(values)
    if (!this.#isRunning) crashOnRejection(this.#removeStored())
  }

  /**
   * Records that a value of a machine is not cached; `onMissedStored` reports when it is stored. null: a value of any
   * machine.
   */
  addMissed(machineRef: MachineRef | null): void {
    if (machineRef !== null && !this.#isAwake) return
    this.#missed.set(machineRef, this.#round)
    if (!this.#isRunning) crashOnRejection(this.#removeStored())
  }

  /** Returns the cached values of a company; null: of all machines, of all keys. */
  of(
    companyRef: CompanyRef,
    machines: ReadonlySet<MachineRef> | null,
    keys: ReadonlySet<string> | null,
  ): readonly LiveValue[] {
    this.#queriedAtMs = performance.now()
    this.#wake()
    const found: LiveValue[] = []
    for (const { value } of this.#values.get(companyRef)?.values() ?? [])
      if ((machines?.has(value.machineRef) ?? true) && (keys?.has(value.key) ?? true)) found.push(value)
    return found
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Starts to cache; values that arrived before may not be stored yet. */
  #wake(): void {
    if (this.#isAwake) return
    this.#isAwake = true
    this.addMissed(null)
  }

  #dropOldest(values: Map<number, { readonly value: LiveValue }>): void {
    for (const [cell, { value }] of values) {
      values.delete(cell)
      return this.addMissed(value.machineRef)
    }
  }

  /** Repeatedly removes the values that are stored, while there are any. Logs failures and retries. */
  async #removeStored(): Promise<void> {
    this.#isRunning = true
    const { signal } = this.#stopping
    while (this.#values.size + this.#missed.size > 0 && !signal.aborted) {
      const before = ++this.#round
      const isStored = await this.#deps.waitUntilStored().catch((error: unknown) => {
        this.#deps.logger.warn({ err: error }, 'Failed to query log')
        return false
      })
      if (isStored) this.#remove(before)
      await pause(checkEveryMs, signal)
    }
    this.#isRunning = false
  }

  #remove(before: number): void {
    const machines = new Set<MachineRef>()
    for (const [companyRef, values] of this.#values) {
      for (const [cell, { value, round }] of values) {
        if (round >= before) continue
        values.delete(cell)
        machines.add(value.machineRef)
      }
      if (values.size === 0) this.#values.delete(companyRef)
    }
    if (machines.size > 0) this.#deps.onStored(machines)
    this.#reportMissed(before)
  }

  #reportMissed(before: number): void {
    const machines = new Set<MachineRef>()
    let mayBeAny = false
    for (const [machineRef, round] of this.#missed) {
      if (round >= before) continue
      this.#missed.delete(machineRef)
      if (machineRef === null) mayBeAny = true
      else machines.add(machineRef)
    }
    if (mayBeAny) this.#deps.onMissedStored(null)
    else if (machines.size > 0) this.#deps.onMissedStored(machines)
  }
}
