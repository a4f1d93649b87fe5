import type { Frame } from './frame.ts'
import type { CatchUp, Subscriber } from './subscriber.ts'

/** What holds now of a machine: a frame for each key, made when asked for. */
export type Snapshot = (machine: number, each: (key: number, frame: Frame) => void) => void

/**
 * Where a machine stands for a subscriber. `catchUp`: its snapshot is yet to be read, so changes need not be told; `live`: changes
 * are told. The cut-over is the moment at which the snapshot is read, in one go: nothing is missed or told twice.
 */
type Phase = 'catchUp' | 'live'

/** Tells changes of machines to those who follow them: the snapshot of each machine first, then changes alone. */
export class FanOut {
  readonly #snapshot: Snapshot
  readonly #live = new Map<number, Set<Subscriber>>()
  readonly #follows = new Map<Subscriber, Following>()

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  /** How many follow a machine now; 0: nobody needs its frames. */
  audience(machine: number): number {
    return this.#live.get(machine)?.size ?? 0
  }

  /** Tells a change. `key` is what later changes replace, unique in the channel. */
  publish(machine: number, key: number, frame: Frame): void {
    const audience = this.#live.get(machine)
    if (audience === undefined) return
    for (const subscriber of audience) subscriber.offer(key, frame)
  }

  /** From now on the subscriber follows these machines and no others; newly added ones begin with their snapshot. */
  setMachines(subscriber: Subscriber, machines: ReadonlySet<number>): void {
    const following = this.#follows.get(subscriber) ?? new Following(this.#cutOver)
    this.#follows.set(subscriber, following)
    for (const machine of following.phases.keys())
      if (!machines.has(machine)) this.#leave(subscriber, machine, following)
    subscriber.drop(machine => !machines.has(machine))
    for (const machine of machines) following.add(machine)
    subscriber.catchUpWith(following)
  }

  /** The subscriber follows nothing any more. */
  remove(subscriber: Subscriber): void {
    const following = this.#follows.get(subscriber)
    if (following === undefined) return
    for (const machine of following.phases.keys()) this.#leave(subscriber, machine, following)
    this.#follows.delete(subscriber)
    subscriber.catchUpWith(null)
    subscriber.drop(() => true)
  }

  #leave(subscriber: Subscriber, machine: number, following: Following): void {
    following.phases.delete(machine)
    const audience = this.#live.get(machine)
    audience?.delete(subscriber)
    if (audience?.size === 0) this.#live.delete(machine)
  }

  readonly #cutOver = (subscriber: Subscriber, machine: number): number => {
    let bytes = 0
    this.#snapshot(machine, (key, frame) => {
      bytes += frame.bytes
      subscriber.offer(key, frame)
    })
    const audience = this.#live.get(machine)
    if (audience) audience.add(subscriber)
    else this.#live.set(machine, new Set([subscriber]))
    return bytes
  }
}

type CutOver = (subscriber: Subscriber, machine: number) => number

/** The machines of one subscriber, with those that are yet to be caught up with. */
class Following implements CatchUp {
  readonly phases = new Map<number, Phase>()
  readonly #cutOver: CutOver
  #waiting: number[] = []

  constructor(cutOver: CutOver) {
    this.#cutOver = cutOver
  }

  add(machine: number): void {
    if (this.phases.has(machine)) return
    this.phases.set(machine, 'catchUp')
    this.#waiting.push(machine)
  }

  next(subscriber: Subscriber, bytes: number): boolean {
    let taken = 0
    let put = 0
    for (const machine of this.#waiting) {
      if (put >= bytes) break
      taken++
      if (this.phases.get(machine) !== 'catchUp') continue
      this.phases.set(machine, 'live')
      put += this.#cutOver(subscriber, machine)
    }
    this.#waiting = this.#waiting.slice(taken)
    return this.#waiting.length > 0
  }
}
