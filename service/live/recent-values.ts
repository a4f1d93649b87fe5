import type { Logger } from 'pino'
import type { Value } from '../../api/live/latest-values.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'
import { pause } from '../../shared/async/waiting.ts'

export interface RecentValuesDeps {
  /** Resolves true once all that was told before the call is in the store; false: that takes too long. */
  readonly ingested: () => Promise<boolean>
  readonly companyOf: (machineRef: MachineRef) => CompanyRef | null
  /** Told of machines whose values have come into the store. */
  readonly onStored: (machines: ReadonlySet<MachineRef>) => void
  readonly logger: Logger
}

/** Most values of one company; of the others the store's are shown. */
const mostValues = 20_000
/** Nobody has asked for so long: nothing is kept until somebody asks again. */
const idleMs = 60_000
const askEveryMs = 200

/** The latest values that may not be in the store yet: those of the last moments, by company. */
export class RecentValues {
  readonly #deps: RecentValuesDeps
  /** By company, then by cell: a value and in which round it came. */
  readonly #values = new Map<CompanyRef, Map<number, { readonly value: Value; readonly round: number }>>()
  readonly #stopping = new AbortController()
  #round = 0
  #askedAtMs = -Infinity
  #isRunning = false

  constructor(deps: RecentValuesDeps) {
    this.#deps = deps
  }

  /** Takes a value that is the latest of its cell (see `LatestValues.cellOf`). */
  tell(cell: number, value: Value): void {
    if (performance.now() - this.#askedAtMs > idleMs) return
    const companyRef = this.#deps.companyOf(value.machineRef)
    if (companyRef === null) return
    let values = this.#values.get(companyRef)
    if (!values) this.#values.set(companyRef, (values = new Map()))
    values.delete(cell)
    values.set(cell, { value, round: this.#round })
    if (values.size > mostValues) for (const oldest of values.keys()) if (values.delete(oldest)) break
    if (!this.#isRunning) neverRejects(this.#forgetStored())
  }

  /** The values of a company; null: of all machines, of all keys. */
  of(
    companyRef: CompanyRef,
    machines: ReadonlySet<MachineRef> | null,
    keys: ReadonlySet<string> | null,
  ): readonly Value[] {
    this.#askedAtMs = performance.now()
    const found: Value[] = []
    for (const { value } of this.#values.get(companyRef)?.values() ?? [])
      if ((machines?.has(value.machineRef) ?? true) && (keys?.has(value.key) ?? true)) found.push(value)
    return found
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Forgets in rounds what has come into the store. It tells failures, and repeats. */
  async #forgetStored(): Promise<void> {
    this.#isRunning = true
    const { signal } = this.#stopping
    while (this.#values.size > 0 && !signal.aborted) {
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
  }
}
