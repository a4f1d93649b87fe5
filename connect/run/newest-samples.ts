import type { WireSample } from '../../schema/topics.ts'
import { isHeartbeat } from '../../schema/heartbeat.ts'
import { parseInstantMs } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'

/** Limit of the machines, as of those of a connector: a mapping may take their ids from topics. */
const maxMachines = 1_000
/** Length of the id of a machine, a UUID. */
const idLength = 36

/** Times of the newest delivered samples by machine, UTC ms. Heartbeats do not count. */
export type NewestTimes = ReadonlyMap<string, number>

/** Returns the newest time of each machine in samples. The log rejects times more than a day ahead, which do not count. */
export function newestTimesOf(samples: readonly WireSample[], nowMs: number): NewestTimes {
  const newest = new Map<string, number>()
  let timestamp: string | undefined
  let atMs: number | null = null
  for (const sample of samples) {
    if (sample.machineId.length !== idLength || isHeartbeat(sample)) continue
    if (sample.timestamp !== timestamp) atMs = parseInstantMs((timestamp = sample.timestamp))
    if (atMs !== null && atMs <= nowMs + dayMs) keepNewest(newest, sample.machineId, atMs)
  }
  return newest
}

/** The newest delivered sample of each machine of a connector. */
export class NewestSamples {
  readonly #newest = new Map<string, number>()

  /** Adds the times of samples that were delivered. */
  add(times: NewestTimes): void {
    for (const [machineId, atMs] of times) {
      keepNewest(this.#newest, machineId, atMs)
      if (this.#newest.size > maxMachines) this.#newest.delete(this.#newest.keys().next().value ?? '')
    }
  }

  /** Newest time of all machines, UTC ms; null: nothing was delivered. */
  get newestMs(): number | null {
    let newest: number | null = null
    for (const atMs of this.#newest.values()) if (newest === null || atMs > newest) newest = atMs
    return newest
  }

  entries(): readonly (readonly [machineId: string, atMs: number])[] {
    return [...this.#newest]
  }
}

function keepNewest(newest: Map<string, number>, machineId: string, atMs: number): void {
  if (atMs > (newest.get(machineId) ?? -Infinity)) newest.set(machineId, atMs)
}
