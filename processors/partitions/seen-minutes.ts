import type { MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { hourMs, minuteMs } from '../../shared/time/units.ts'

const minutesPerHour = hourMs / minuteMs

/** The minutes of one UTC hour in which a machine was seen, in at most 1 kB. */
export class SeenMinutes {
  /** First and last instant of each minute, UTC ms; NaN: not seen. null: in none. */
  #instants: number[] | null = null

  /** Adds an observation within one minute; returns whether it changed the minute. */
  merge(firstMs: number, lastMs: number): boolean {
    const instants = (this.#instants ??= Array<number>(2 * minutesPerHour).fill(Number.NaN))
    const at = 2 * (Math.floor(firstMs / minuteMs) % minutesPerHour)
    const [first = Number.NaN, last = Number.NaN] = [instants[at], instants[at + 1]]
    if (first <= firstMs && last >= lastMs) return false
    instants[at] = first < firstMs ? first : firstMs
    instants[at + 1] = last > lastMs ? last : lastMs
    return true
  }

  /** When the machine was first seen, UTC ms; Infinity: never. */
  get firstMs(): number {
    return this.#instants?.find((ms, at) => at % 2 === 0 && !Number.isNaN(ms)) ?? Infinity
  }

  inOrder(machineRef: MachineRef): readonly ActivityMinute[] {
    const minutes: ActivityMinute[] = []
    for (let at = 0; this.#instants !== null && at < this.#instants.length; at += 2) {
      const [firstMs = Number.NaN, lastMs = Number.NaN] = [this.#instants[at], this.#instants[at + 1]]
      if (!Number.isNaN(firstMs)) minutes.push({ machineRef, firstMs, lastMs })
    }
    return minutes
  }
}
