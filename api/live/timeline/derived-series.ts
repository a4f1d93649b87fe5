import type { Logger } from 'pino'
import type { MachineRange, TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** A machine that was heard of is looked at this many times: its documents follow its samples after a moment. */
const looks = 4

/** Tells what is new in the documents of machines whose synthesized keys are watched, each machine's read once for all. */
export class DerivedSeries {
  readonly #history: TimelineHistory
  readonly #logger: Logger
  readonly #subscriptions = new Map<
    number,
    { readonly companyRef: CompanyRef; readonly subscriptions: Set<TimelineSubscription> }
  >()
  readonly #due = new Map<MachineRef, number>()
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
    if (this.#subscriptions.has(machineRef)) this.#due.set(machineRef, looks)
  }

  /** Looks at every machine that is due, one after the other; not while the last round goes on. */
  async refresh(nowMs: number): Promise<void> {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    try {
      const due = Array.from(this.#due.keys())
      for (const machineRef of due) await this.#refreshOne(machineRef, nowMs)
    } catch (error) {
      this.#logger.warn({ err: error }, 'documents not read for the timeline')
    } finally {
      this.#isRefreshing = false
    }
  }

  async #refreshOne(machineRef: MachineRef, nowMs: number): Promise<void> {
    const known = this.#subscriptions.get(machineRef)
    if (known) {
      const fromMs = Math.min(...[...known.subscriptions].map(({ documentedFromMs }) => documentedFromMs))
      const range: MachineRange = { companyRef: known.companyRef, machineRef, fromMs, toMs: Infinity, nowMs }
      const documented = await this.#history.documented(range)
      for (const subscription of known.subscriptions) subscription.takeDocumented(documented)
    }
    const left = (this.#due.get(machineRef) ?? 1) - 1
    if (left > 0) this.#due.set(machineRef, left)
    else this.#due.delete(machineRef)
  }
}
