import { machineDays } from './day-task.ts'

/** More would take seconds and a gigabyte of memory at once where days with many samples follow years without one. */
const mostMachineDays = 1_000
/** A statement is planned for a tenth of a second and more, whatever it makes. */
const shortMs = 400
const longMs = 1_000

/** How many machine-days a statement makes: more where they take little, as days in which nothing happens do. */
export class DayPace {
  #machineDays = machineDays

  get machineDays(): number {
    return this.#machineDays
  }

  /** Records the duration of a statement of this number of machine-days. */
  made(count: number, tookMs: number): void {
    if (tookMs > longMs) this.#machineDays = machineDays
    else if (tookMs < shortMs && count > this.#machineDays / 2)
      this.#machineDays = Math.min(mostMachineDays, this.#machineDays * 2)
  }
}
