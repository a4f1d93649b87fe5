import type { Logger } from 'pino'
import type { MachineRange, TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'

/** A machine that was heard of is looked at this many times: its documents follow its samples after a moment. */
const looks = 4

/** Tells what is new in the documents of machines whose synthesized keys are watched, each machine's read once for all. */
export class DerivedSeries {
  readonly #history: TimelineHistory
  readonly #logger: Logger
  readonly #subscriptions = new Map<
    number,
    { readonly company: number; readonly subscriptions: Set<TimelineSubscription> }
  >()
  readonly #due = new Map<number, number>()
  #isRefreshing = false

  constructor(history: TimelineHistory, logger: Logger) {
    this.#history = history
    this.#logger = logger
  }

  /** From now on, once its past has been told. */
  add(company: number, subscription: TimelineSubscription): void {
    const known = this.#subscriptions.get(subscription.machine)
    if (known) known.subscriptions.add(subscription)
    else this.#subscriptions.set(subscription.machine, { company, subscriptions: new Set([subscription]) })
    this.touch(subscription.machine)
  }

  remove(subscription: TimelineSubscription): void {
    const known = this.#subscriptions.get(subscription.machine)
    known?.subscriptions.delete(subscription)
    if (known?.subscriptions.size === 0) this.#subscriptions.delete(subscription.machine)
  }

  /** Something was heard of the machine. */
  touch(machine: number): void {
    if (this.#subscriptions.has(machine)) this.#due.set(machine, looks)
  }

  /** Looks at every machine that is due, one after the other; not while the last round goes on. */
  async refresh(nowMs: number): Promise<void> {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    try {
      const due = Array.from(this.#due.keys())
      for (const machine of due) await this.#refreshOne(machine, nowMs)
    } catch (error) {
      this.#logger.warn({ err: error }, 'documents not read for the timeline')
    } finally {
      this.#isRefreshing = false
    }
  }

  async #refreshOne(machine: number, nowMs: number): Promise<void> {
    const known = this.#subscriptions.get(machine)
    if (known) {
      const fromMs = Math.min(...[...known.subscriptions].map(({ documentedFromMs }) => documentedFromMs))
      const range: MachineRange = { company: known.company, machine, fromMs, toMs: Infinity, nowMs }
      const documented = await this.#history.documented(range)
      for (const subscription of known.subscriptions) subscription.takeDocumented(documented)
    }
    const left = (this.#due.get(machine) ?? 1) - 1
    if (left > 0) this.#due.set(machine, left)
    else this.#due.delete(machine)
  }
}
