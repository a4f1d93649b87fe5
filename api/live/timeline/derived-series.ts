import type { Logger } from 'pino'
import type { MachineRange, TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'
import { backOffMs } from '../../../shared/async/retry.ts'

/** Number of polls of a machine after a sample: its documents follow after a moment. */
const polls = 4
/** Back-off of a machine whose documents could not be read, doubled after each further failure up to the maximum. */
const backOff = { firstMs: 500, maxMs: 30_000 } as const

interface Due {
  readonly polls: number
  /** Failures since the last successful poll. */
  readonly failures: number
  /** End of the back-off (`performance.now()`). */
  readonly backOffUntilMs: number
}

const fresh: Due = { polls, failures: 0, backOffUntilMs: -Infinity }

/**
 * Publishes changes in the documents of machines whose synthesized keys have subscribers; reads each machine once for
 * all subscribers.
 */
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

  /** Called after the history has been sent. */
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

  /** A sample or status of the machine was published. */
  touch(machineRef: MachineRef): void {
    if (this.#subscriptions.has(machineRef))
      this.#due.set(machineRef, { ...(this.#due.get(machineRef) ?? fresh), polls })
  }

  /**
   * Polls every machine that is due, one after the other, unless the previous round is still running. A machine that
   * cannot be read delays no other: it stays due, with a back-off.
   */
  async refresh(nowMs: number): Promise<void> {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const errors: unknown[] = []
    for (const [machineRef, { backOffUntilMs }] of Array.from(this.#due)) {
      if (performance.now() < backOffUntilMs) continue
      try {
        await this.#refreshOne(machineRef, nowMs)
        this.#polled(machineRef)
      } catch (error) {
        errors.push(error)
        this.#failed(machineRef)
      }
    }
    this.#isRefreshing = false
    if (errors.length > 0)
      this.#logger.warn({ err: errors[0], machines: errors.length }, 'Failed to read documents for the timeline')
  }

  async #refreshOne(machineRef: MachineRef, nowMs: number): Promise<void> {
    const known = this.#subscriptions.get(machineRef)
    if (!known) return
    const fromMs = Math.min(...[...known.subscriptions].map(({ documentedFromMs }) => documentedFromMs))
    const range: MachineRange = { companyRef: known.companyRef, machineRef, fromMs, toMs: Infinity, nowMs }
    const documented = await this.#history.documented(range)
    for (const subscription of known.subscriptions) subscription.addDocumented(documented)
  }

  #polled(machineRef: MachineRef): void {
    const left = (this.#due.get(machineRef)?.polls ?? 1) - 1
    if (left > 0) this.#due.set(machineRef, { ...fresh, polls: left })
    else this.#due.delete(machineRef)
  }

  #failed(machineRef: MachineRef): void {
    const { polls: left, failures } = this.#due.get(machineRef) ?? fresh
    const backOffUntilMs = performance.now() + backOffMs(failures, backOff.firstMs, backOff.maxMs)
    this.#due.delete(machineRef)
    this.#due.set(machineRef, { polls: left, failures: failures + 1, backOffUntilMs })
  }
}
