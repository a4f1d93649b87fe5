import { machineDays } from './day-task.ts'

/** A larger statement would take seconds and a gigabyte of memory if days with many samples follow years without samples. */
const maxMachineDays = 1_000
/** The planning of a statement takes 0.1 s and more, regardless of its size. */
const shortMs = 400
const longMs = 1_000

/** Number of machine-days per statement: more if they take little time, as days without events do. */
export class DayPace {
  #machineDays = machineDays

  get machineDays(): number {
    return this.#machineDays
  }

  /** Records the duration of a statement of this number of machine-days. */
  record(count: number, tookMs: number): void {
    if (tookMs > longMs) this.#machineDays = machineDays
    else if (tookMs < shortMs && count > this.#machineDays / 2)
      this.#machineDays = Math.min(maxMachineDays, this.#machineDays * 2)
  }
}
