import type { MachineRef } from '../../schema/refs.ts'
import { slotOf } from '../../shared/time/units.ts'

/** A machine to evaluate: documents of hours from `fromMs` on were written, the last time at `atMs`, UTC ms. */
interface Written {
  readonly fromMs: number
  readonly atMs: number
}

/** Machines to evaluate in a partition that this process owns. Instants are UTC ms. */
export class PartitionEvaluation {
  readonly partition: number
  readonly fence: number
  /** Limit of the last evaluation. */
  evaluatedToMs: number
  /** Start of a time in which evaluations are behind; null: they are not. */
  behindSinceMs: number | null = null
  storedAtMs = -Infinity
  readonly #written = new Map<MachineRef, Written>()
  readonly #next = new Map<MachineRef, number>()

  constructor(partition: number, fence: number, evaluatedToMs: number) {
    this.partition = partition
    this.fence = fence
    this.evaluatedToMs = evaluatedToMs
  }

  /** Adds a machine whose documents of an hour, or of later ones, may have changed. */
  add(machineRef: MachineRef, fromMs: number, atMs: number): void {
    const before = this.#written.get(machineRef)
    this.#written.set(machineRef, { fromMs: Math.min(fromMs, before?.fromMs ?? Infinity), atMs })
  }

  /** Notes that there is nothing to evaluate: no rule, and no unresolved incident. */
  clear(clockMs: number): void {
    this.#written.clear()
    this.#next.clear()
    this.evaluatedToMs = Math.max(this.evaluatedToMs, clockMs)
    this.behindSinceMs = null
  }

  /** Returns the machines to evaluate up to a limit, with the start of the hours that may have changed. */
  due(limitMs: number, clockMs: number): ReadonlyMap<MachineRef, number> {
    const due = new Map<MachineRef, number>()
    for (const [machineRef, nextMs] of this.#next)
      if (nextMs <= Math.max(limitMs, clockMs)) due.set(machineRef, this.#fromMs(Infinity))
    for (const [machineRef, { fromMs }] of this.#written) due.set(machineRef, this.#fromMs(fromMs))
    return due
  }

  /** Notes that a machine was evaluated without changes. Samples until its last document may be after the limit. */
  completed(machineRef: MachineRef, limitMs: number, startedMs: number, nextMs: number | null): void {
    const written = this.#written.get(machineRef)
    if (written && written.atMs < Math.min(limitMs, startedMs)) this.#written.delete(machineRef)
    if (nextMs === null) this.#next.delete(machineRef)
    else this.#next.set(machineRef, nextMs)
  }

  /** Removes a machine that no rule and no incident concerns. */
  remove(machineRef: MachineRef): void {
    this.#written.delete(machineRef)
    this.#next.delete(machineRef)
  }

  #fromMs(writtenFromMs: number): number {
    return Math.min(writtenFromMs, slotOf(this.evaluatedToMs))
  }
}
