import type { Logger } from 'pino'
import type { MachineRange, TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'
import { backOffMs } from '../../../shared/async/retry.ts'

/** A machine that was heard of is looked at this many times: its documents follow its samples after a moment. */
const looks = 4
/** A machine whose documents could not be read rests so long, twice as long after each further failure, up to the most. */
const restMs = { first: 500, most: 30_000 } as const

interface Due {
  readonly looks: number
  /** Failures since a look that succeeded. */
  readonly failures: number
  /** It rests until then (`performance.now()`). */
  readonly restsUntilMs: number
}

const fresh: Due = { looks, failures: 0, restsUntilMs: -Infinity }

/** Tells what is new in the documents of machines whose synthesized keys are watched, each machine's read once for all. */
export class DerivedSeries {
  readonly #history: TimelineHistory
  readonly #logger: Logger
  readonly #subscriptions = new Map<
    number,
    { readonly companyRef: CompanyRef; readonly subscriptions: Set<TimelineSubscription> }
  >()
  readonly #due = new Map<MachineRef, Due>()
  #isRefreshing = false

  constructor(history: TimelineHistory, logger: Logger) {
    this.#history = history
    this.#logger = logger
  }

  /** From now on, once its past has been told. */
  add(companyRef: CompanyRef, subscription: TimelineSubscription): void {
    const known = this.#subscriptions.get(subscription.machineRef)
    if (known) known.subscriptions.add(subscription)
    else this.#subscriptions.set(subscription.machineRef, { companyRef, subscriptions: new Set([subscription]) })
    this.touch(subscription.machineRef)
  }

  remove(subscription: TimelineSubscription): void {
    const known = this.#subscriptions.get(subscription.machineRef)
    known?.subscriptions.delete(subscription)
    if (known?.subscriptions.size === 0) this.#subscriptions.delete(subscription.machineRef)
  }

  /** Something was heard of the machine. */
  touch(machineRef: MachineRef): void {
    if (this.#subscriptions.has(machineRef))
      this.#due.set(machineRef, { ...(this.#due.get(machineRef) ?? fresh), looks })
  }

  /**
   * Looks at every machine that is due, one after the other; not while the last round goes on. A machine that cannot be read holds up no
   * other: it stays due, and rests for a while.
   */
  async refresh(nowMs: number): Promise<void> {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const errors: unknown[] = []
    for (const [machineRef, { restsUntilMs }] of Array.from(this.#due)) {
      if (performance.now() < restsUntilMs) continue
      try {
        await this.#refreshOne(machineRef, nowMs)
        this.#looked(machineRef)
      } catch (error) {
        errors.push(error)
        this.#failed(machineRef)
      }
    }
    this.#isRefreshing = false
    if (errors.length > 0)
      this.#logger.warn({ err: errors[0], machines: errors.length }, 'documents not read for the timeline')
  }

  async #refreshOne(machineRef: MachineRef, nowMs: number): Promise<void> {
    const known = this.#subscriptions.get(machineRef)
    if (!known) return
    const fromMs = Math.min(...[...known.subscriptions].map(({ documentedFromMs }) => documentedFromMs))
    const range: MachineRange = { companyRef: known.companyRef, machineRef, fromMs, toMs: Infinity, nowMs }
    const documented = await this.#history.documented(range)
    for (const subscription of known.subscriptions) subscription.takeDocumented(documented)
  }

  #looked(machineRef: MachineRef): void {
    const left = (this.#due.get(machineRef)?.looks ?? 1) - 1
    if (left > 0) this.#due.set(machineRef, { ...fresh, looks: left })
    else this.#due.delete(machineRef)
  }

  #failed(machineRef: MachineRef): void {
    const { looks: left, failures } = this.#due.get(machineRef) ?? fresh
    const restsUntilMs = performance.now() + backOffMs(failures, restMs.first, restMs.most)
    this.#due.delete(machineRef)
    this.#due.set(machineRef, { looks: left, failures: failures + 1, restsUntilMs })
  }
}
