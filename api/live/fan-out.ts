import type { Frame } from './frame.ts'
import type { CatchUp, Subscriber } from './subscriber.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Hands out the present state of a machine: a frame for each key, made when it is asked for. */
export type Snapshot = (machineRef: MachineRef, each: (key: number, frame: Frame) => void) => void

/**
 * The phase of a machine for a subscriber. `catchUp`: its snapshot is yet to be read, so changes need not be told;
 * `live`: changes are told. A machine goes live when its snapshot is read, in one go: nothing is missed or told twice.
 */
type Phase = 'catchUp' | 'live'

/** Tells changes of machines to those who follow them: the snapshot of each machine first, then changes alone. */
export class FanOut {
  readonly #snapshot: Snapshot
  readonly #live = new Map<MachineRef, Set<Subscriber>>()
  readonly #follows = new Map<Subscriber, Following>()

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  /** How many follow a machine now; 0: nobody needs its frames. */
  audience(machineRef: MachineRef): number {
    return this.#live.get(machineRef)?.size ?? 0
  }

  /** Tells a change. `key` is what later changes replace, unique in the channel. */
  publish(machineRef: MachineRef, key: number, frame: Frame): void {
    const audience = this.#live.get(machineRef)
    if (audience === undefined) return
    for (const subscriber of audience) subscriber.offer(key, frame)
  }

  /** From now on the subscriber follows these machines and no others; newly added ones begin with their snapshot. */
  setMachines(subscriber: Subscriber, machines: ReadonlySet<MachineRef>): void {
    const following = this.#follows.get(subscriber) ?? new Following(this.#cutOver)
    this.#follows.set(subscriber, following)
    for (const machineRef of following.phases.keys())
      if (!machines.has(machineRef)) this.#leave(subscriber, machineRef, following)
    subscriber.drop(machineRef => !machines.has(machineRef))
    for (const machineRef of machines) following.add(machineRef)
    subscriber.catchUpWith(following)
  }

  /** The subscriber follows nothing any more. */
  remove(subscriber: Subscriber): void {
    const following = this.#follows.get(subscriber)
    if (following === undefined) return
    for (const machineRef of following.phases.keys()) this.#leave(subscriber, machineRef, following)
    this.#follows.delete(subscriber)
    subscriber.catchUpWith(null)
    subscriber.drop(() => true)
  }

  #leave(subscriber: Subscriber, machineRef: MachineRef, following: Following): void {
    following.phases.delete(machineRef)
    const audience = this.#live.get(machineRef)
    audience?.delete(subscriber)
    if (audience?.size === 0) this.#live.delete(machineRef)
  }

  readonly #cutOver = (subscriber: Subscriber, machineRef: MachineRef): number => {
    let bytes = 0
    this.#snapshot(machineRef, (key, frame) => {
      bytes += frame.bytes
      subscriber.offer(key, frame)
    })
    const audience = this.#live.get(machineRef)
    if (audience) audience.add(subscriber)
    else this.#live.set(machineRef, new Set([subscriber]))
    return bytes
  }
}

type CutOver = (subscriber: Subscriber, machineRef: MachineRef) => number

/** The machines of one subscriber, with those that are yet to be caught up with. */
class Following implements CatchUp {
  readonly phases = new Map<MachineRef, Phase>()
  readonly #cutOver: CutOver
  #waiting: MachineRef[] = []

  constructor(cutOver: CutOver) {
    this.#cutOver = cutOver
  }

  add(machineRef: MachineRef): void {
    if (this.phases.has(machineRef)) return
    this.phases.set(machineRef, 'catchUp')
    this.#waiting.push(machineRef)
  }

  next(subscriber: Subscriber, bytes: number): boolean {
    let taken = 0
    let put = 0
    for (const machineRef of this.#waiting) {
      if (put >= bytes) break
      taken++
      if (this.phases.get(machineRef) !== 'catchUp') continue
      this.phases.set(machineRef, 'live')
      put += this.#cutOver(subscriber, machineRef)
    }
    this.#waiting = this.#waiting.slice(taken)
    return this.#waiting.length > 0
  }
}
