import { heartbeatNames } from '../../schema/heartbeat.ts'
import type { WireSample } from '../../schema/topics.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { Position } from '../positions/position.ts'
import { DeliveryStopped } from '../buffer/delivery-stopped.ts'

/** Interval of the heartbeats of the missed time, ms: the shortest limit of stale machines is twice as long. */
const missedIntervalMs = 30_000
/** How far back heartbeats of the missed time begin. */
const missedLimitMs = dayMs
const maxPerDelivery = 2_000

export interface HeartbeatPorts {
  /** The machines that the connector names. */
  readonly machineIds: readonly string[]
  readonly intervalMs: number
  /** Stores the time of each machine's last heartbeat. */
  readonly position: Position
  /** Resolves when the samples are acknowledged; rejects if the connector stops. */
  readonly deliver: (samples: readonly WireSample[]) => Promise<void>
  readonly onStored: () => void
}

interface Machine {
  /** Time of the last heartbeat that was written, or of the first observation after a loss, UTC ms; null: none. */
  lastMs: number | null
  /** When the source was last heard, UTC ms. */
  heardMs: number
  /** Whether the next heartbeat does not wait for the interval. */
  isDue: boolean
}

/** Writes the heartbeats of the machines of one connector, in the order of time, those of the missed time included. */
export class Heartbeats {
  readonly #ports: HeartbeatPorts
  readonly #machines = new Map<string, Machine>()
  #isWriting = false

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports
    const { position, machineIds } = ports
    for (const [machineId, lastMs] of position.heartbeats.entries())
      if (machineIds.length === 0 || machineIds.includes(machineId)) this.#of(machineId).lastMs = lastMs
      else position.heartbeats.delete(machineId)
  }

  /**
   * The source was heard now; `isDue`: it has just caught up. A clock that jumped forward and was corrected leaves times
   * in the future, also stored ones: they become the present.
   */
  heard(atMs: number, isDue: boolean, machineIds: readonly string[] = this.#ports.machineIds): void {
    for (const machineId of machineIds) {
      const machine = this.#of(machineId)
      machine.heardMs = atMs
      if (machine.lastMs !== null) machine.lastMs = Math.min(machine.lastMs, atMs)
      machine.isDue ||= isDue
    }
    if (this.#isWriting) return
    this.#isWriting = true
    // Delivery retries failures of the log.
    crashOnRejection(this.#write())
  }

  /** The time up to the first observation after a loss gets no heartbeats. */
  lost(toMs: number, machineIds: readonly string[] = this.#ports.machineIds): void {
    for (const machineId of machineIds) {
      const machine = this.#of(machineId)
      if (machine.lastMs !== null) machine.lastMs = Math.max(machine.lastMs, toMs)
    }
  }

  #of(machineId: string): Machine {
    let machine = this.#machines.get(machineId)
    if (machine === undefined)
      this.#machines.set(machineId, (machine = { lastMs: null, heardMs: -Infinity, isDue: false }))
    return machine
  }

  async #write(): Promise<void> {
    try {
      for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) {
        await this.#ports.deliver(due.map(([machineId, atMs]) => heartbeat(machineId, atMs)))
        for (const [machineId, atMs] of due) this.#ports.position.heartbeats.set(machineId, atMs)
        this.#ports.onStored()
      }
    } catch (error) {
      if (!(error instanceof DeliveryStopped)) throw error
    } finally {
      this.#isWriting = false
    }
  }

  /** The next heartbeats, of each machine in the order of time. */
  #takeDue(): readonly (readonly [machineId: string, atMs: number])[] {
    const due: [string, number][] = []
    for (const [machineId, machine] of this.#machines)
      while (due.length < maxPerDelivery) {
        const atMs = nextMs(machine, this.#ports.intervalMs)
        if (atMs === null) break
        machine.lastMs = atMs
        if (atMs === machine.heardMs) machine.isDue = false
        due.push([machineId, atMs])
      }
    return due
  }
}

function nextMs({ lastMs, heardMs, isDue }: Machine, intervalMs: number): number | null {
  if (heardMs === -Infinity) return null
  if (lastMs === null) return heardMs
  if (heardMs - lastMs > 2 * missedIntervalMs)
    return Math.max(lastMs, heardMs - missedLimitMs - missedIntervalMs) + missedIntervalMs
  const isNext = heardMs - lastMs >= intervalMs || (isDue && heardMs > lastMs)
  return isNext ? heardMs : null
}

/** Returns the sample that states that a machine's source was heard. */
function heartbeat(machineId: string, atMs: number): WireSample {
  return {
    machineId,
    timestamp: new Date(atMs).toISOString(),
    ...heartbeatNames,
    category: 'EVENT',
    value: 'ESTABLISHED',
  }
}
