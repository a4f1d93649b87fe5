import type { Logger } from 'pino'
import type { LiveValue } from '../../api/live/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'
import { pause } from '../../shared/async/waiting.ts'

export interface RecentValuesDeps {
  /** Resolves true once all that was told before the call is in the store; false: that takes too long. */
  readonly ingested: () => Promise<boolean>
  readonly companyOf: (machineRef: MachineRef) => CompanyRef | null
  /** Told of machines whose values have come into the store. */
  readonly onStored: (machines: ReadonlySet<MachineRef>) => void
  /** Told of machines whose values have come into the store and were never kept here; null: that may be any machine. */
  readonly onMissedStored: (machines: ReadonlySet<MachineRef> | null) => void
  /** Whether somebody is to be told of what comes. */
  readonly isWatched: () => boolean
  readonly logger: Logger
}

/** Most values of one company; of the others the store's are shown. */
const mostValues = 20_000
/** Nobody has asked for so long, and nobody watches: nothing is kept until somebody does again. */
const idleMs = 60_000
const askEveryMs = 200

/** The latest values that may not be in the store yet: those of the last moments, by company. */
export class RecentValues {
  readonly #deps: RecentValuesDeps
  /** By company, then by cell: a value and in which round it came. */
  readonly #values = new Map<CompanyRef, Map<number, { readonly value: LiveValue; readonly round: number }>>()
  readonly #stopping = new AbortController()
  #round = 0
  /** By machine, null for any: in which round a value came last that is not kept. */
  readonly #missed = new Map<MachineRef | null, number>()
  #askedAtMs = -Infinity
  /** Whether all that came since it was woken was taken. */
  #isAwake = false
  #isRunning = false

  constructor(deps: RecentValuesDeps) {
    this.#deps = deps
  }

  /** Whether nothing is kept, as nobody has asked for long and nobody watches: values need not be told until somebody does again. */
  rests(): boolean {
    const isIdle = performance.now() - this.#askedAtMs > idleMs && !this.#deps.isWatched()
    if (isIdle) this.#isAwake = false
    return isIdle
  }

  /** Whether a value has come that neither this nor the store has. */
  get lacksSome(): boolean {
    return this.#missed.size > 0
  }

  /** Takes a value that is the latest of its cell (see `LatestValues.cellOf`). */
  tell(cell: number, value: LiveValue): void {
    if (this.rests()) return
    this.#wake()
    const companyRef = this.#deps.companyOf(value.machineRef)
    if (companyRef === null) return
    let values = this.#values.get(companyRef)
    if (!values) this.#values.set(companyRef, (values = new Map()))
    values.delete(cell)
    values.set(cell, { value, round: this.#round })
    if (values.size > mostValues) this.#leaveOldest(values)
    if (!this.#isRunning) neverRejects(this.#forgetStored())
  }

  /** A value has come that is not kept here: it is told of when the store has it. null: of any machine. */
  miss(machineRef: MachineRef | null): void {
    if (machineRef !== null && !this.#isAwake) return
    this.#missed.set(machineRef, this.#round)
    if (!this.#isRunning) neverRejects(this.#forgetStored())
  }

  /** The values of a company; null: of all machines, of all keys. */
  of(
    companyRef: CompanyRef,
    machines: ReadonlySet<MachineRef> | null,
    keys: ReadonlySet<string> | null,
  ): readonly LiveValue[] {
    this.#askedAtMs = performance.now()
    this.#wake()
    const found: LiveValue[] = []
    for (const { value } of this.#values.get(companyRef)?.values() ?? [])
      if ((machines?.has(value.machineRef) ?? true) && (keys?.has(value.key) ?? true)) found.push(value)
    return found
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Values that came before may not be in the store yet. */
  #wake(): void {
    if (this.#isAwake) return
    this.#isAwake = true
    this.miss(null)
  }

  #leaveOldest(values: Map<number, { readonly value: LiveValue }>): void {
    for (const [cell, { value }] of values) {
      values.delete(cell)
      return this.miss(value.machineRef)
    }
  }

  /** Forgets in rounds what has come into the store. It tells failures, and repeats. */
  async #forgetStored(): Promise<void> {
    this.#isRunning = true
    const { signal } = this.#stopping
    while (this.#values.size + this.#missed.size > 0 && !signal.aborted) {
      const before = ++this.#round
      const isStored = await this.#deps.ingested().catch((error: unknown) => {
        this.#deps.logger.warn({ err: error }, 'log not asked')
        return false
      })
      if (isStored) this.#forget(before)
      await pause(askEveryMs, signal)
    }
    this.#isRunning = false
  }

  /** Forgets what came before a round. */
  #forget(before: number): void {
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
    this.#tellMissed(before)
  }

  #tellMissed(before: number): void {
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
