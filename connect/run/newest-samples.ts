import type { WireSample } from '../../schema/topics.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
import { isHeartbeat } from '../../schema/heartbeat.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { parseInstantMs } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { ClockSkew } from './clock-skew.ts'

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

/** The newest delivered sample of each machine of a connector, and the skew of its clock. */
export class NewestSamples {
  readonly #newest = new Map<string, number>()
  readonly #skews = new Map<string, ClockSkew>()

  /** Adds the times of samples that were delivered. `liveMs`: `Health.liveMs` when they were read. */
  add(times: NewestTimes, liveMs: number | null): void {
    for (const [machineId, atMs] of times) {
      keepNewest(this.#newest, machineId, atMs)
      if (liveMs !== null) getOrCreate(this.#skews, machineId, () => new ClockSkew()).add(atMs, liveMs)
      if (this.#newest.size > maxMachines) this.#remove(this.#newest.keys().next().value ?? '')
    }
  }

  #remove(machineId: string): void {
    this.#newest.delete(machineId)
    this.#skews.delete(machineId)
  }

  /** Newest time of all machines, UTC ms; null: nothing was delivered. */
  get newestMs(): number | null {
    let newest: number | null = null
    for (const atMs of this.#newest.values()) if (newest === null || atMs > newest) newest = atMs
    return newest
  }

  entries(): ConnectorHealth['lastSamples'] {
    return [...this.#newest].map(([machineId, atMs]) => [machineId, atMs, this.#skews.get(machineId)?.skewMs ?? null])
  }
}

function keepNewest(newest: Map<string, number>, machineId: string, atMs: number): void {
  if (atMs > (newest.get(machineId) ?? -Infinity)) newest.set(machineId, atMs)
}
