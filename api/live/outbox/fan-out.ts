import type { MachineRef } from '../../../schema/refs.ts'
import type { Frame } from './frame.ts'
import { FrameCache } from './frame-cache.ts'
import { RecentChanges } from './recent-changes.ts'
import { ShownParts } from './shown-parts.ts'
import type { FrameSource, Subscriber } from './subscriber.ts'
import { FlushBatch } from './flush-batch.ts'

/** Receives the frame of the key at an index (0 or more); returns false to end the visit. */
type Show = (frame: Frame, index: number) => boolean

/** How a channel shows machines. */
export interface FanOutOptions<Change> {
  /**
   * Visits the current state of a machine from an index on: a lazily encoded frame for each key, in the order of their
   * indexes, until `show` returns false.
   */
  readonly snapshot: (machineRef: MachineRef, fromIndex: number, show: Show) => void
  /** The index of a change's key among the keys of its machine; it never changes. */
  readonly indexOf: (change: Change) => number
  readonly frameOf: (change: Change) => Frame
  /** Limits the memory of frames for later subscribers. */
  readonly cache?: FrameCache
}

/**
 * Publishes changes of machines to their subscribers: the snapshot of each machine first, then changes. Nothing is
 * queued per subscriber: a flush sends the newest change of each key since the previous flush. So a slow subscriber, or
 * an overloaded service, makes updates coarser and costs no memory: the cached frames are limited.
 */
export class FanOut<Change> {
  readonly #options: FanOutOptions<Change>
  readonly #cache: FrameCache
  readonly #machines = new Map<MachineRef, FollowedMachine<Change>>()
  readonly #followings = new Map<Subscriber, Following<Change>>()

  constructor(options: FanOutOptions<Change>) {
    this.#options = options
    this.#cache = options.cache ?? new FrameCache()
  }

  isFollowed(machineRef: MachineRef): boolean {
    return this.#machines.has(machineRef)
  }

  /** Publishes a change. `key`: unique in the machine; a later change with the same key replaces the earlier one. */
  publish(machineRef: MachineRef, key: number, change: Change): void {
    this.#machines.get(machineRef)?.changed(key, change)
  }

  /** Replaces the machines of the subscriber; newly added ones begin with their snapshot. */
  setMachines(subscriber: Subscriber, machines: ReadonlySet<MachineRef>): void {
    if (subscriber.isClosed) return
    let following = this.#followings.get(subscriber)
    if (following === undefined) {
      following = new Following(subscriber, this.#options, () => this.remove(subscriber))
      this.#followings.set(subscriber, following)
    }
    for (const [machineRef, follow] of following.machines) if (!machines.has(machineRef)) this.#leave(following, follow)
    for (const machineRef of machines) if (!following.machines.has(machineRef)) following.add(this.#of(machineRef))
    subscriber.readFrom(following)
  }

  remove(subscriber: Subscriber): void {
    const following = this.#followings.get(subscriber)
    if (following === undefined) return
    for (const follow of following.machines.values()) this.#leave(following, follow)
    this.#followings.delete(subscriber)
    subscriber.readFrom(null)
  }

  #of(machineRef: MachineRef): FollowedMachine<Change> {
    let machine = this.#machines.get(machineRef)
    if (machine === undefined) {
      machine = new FollowedMachine(machineRef, new RecentChanges(this.#options.frameOf, this.#cache))
      this.#machines.set(machineRef, machine)
    }
    return machine
  }

  #leave(following: Following<Change>, follow: Follow<Change>): void {
    const { machine } = follow
    following.leave(follow)
    if (machine.leave(follow)) this.#machines.delete(machine.machineRef)
  }
}

class FollowedMachine<Change> {
  readonly machineRef: MachineRef
  readonly changes: RecentChanges<Change>
  /** Subscribers that are up to date: the next change schedules a flush for them. */
  readonly #upToDate = new Set<Follow<Change>>()
  #followers = 0

  constructor(machineRef: MachineRef, changes: RecentChanges<Change>) {
    this.machineRef = machineRef
    this.changes = changes
  }

  join(): void {
    this.#followers++
  }

  /** Returns whether no subscriber is left. */
  leave(follow: Follow<Change>): boolean {
    this.#upToDate.delete(follow)
    this.#followers--
    this.#forgetSentFrames()
    return this.#followers === 0
  }

  changed(key: number, change: Change): void {
    this.changes.add(key, change)
    if (this.#upToDate.size === 0) return
    for (const follow of this.#upToDate) follow.following.changed(follow)
    this.#upToDate.clear()
  }

  markUpToDate(follow: Follow<Change>): void {
    this.#upToDate.add(follow)
    this.#forgetSentFrames()
  }

  #forgetSentFrames(): void {
    if (this.#upToDate.size === this.#followers) this.changes.forgetFrames()
  }
}

/** One subscriber that follows one machine. A plain object: there may be millions. */
interface Follow<Change> {
  readonly following: Following<Change>
  readonly machine: FollowedMachine<Change>
  /** Number of changes of the machine that were sent or are part of the snapshot. */
  sentCount: number
  /** State of a snapshot that is sent in several flushes, until the changes during it are sent. */
  parts: ShownParts | null
}

/**
 * The machines of one subscriber: those whose snapshot is not sent yet, and those that have changed since its last
 * flush.
 */
class Following<Change> implements FrameSource {
  readonly machines = new Map<MachineRef, Follow<Change>>()
  readonly #subscriber: Subscriber
  readonly #options: FanOutOptions<Change>
  readonly #end: () => void
  readonly #new = new Set<Follow<Change>>()
  readonly #changed = new Set<Follow<Change>>()

  /** `end` is called when the subscriber is closed. */
  constructor(subscriber: Subscriber, options: FanOutOptions<Change>, end: () => void) {
    this.#subscriber = subscriber
    this.#options = options
    this.#end = end
  }

  add(machine: FollowedMachine<Change>): void {
    const follow: Follow<Change> = { following: this, machine, sentCount: 0, parts: null }
    machine.join()
    this.machines.set(machine.machineRef, follow)
    this.#new.add(follow)
  }

  leave(follow: Follow<Change>): void {
    this.machines.delete(follow.machine.machineRef)
    this.#new.delete(follow)
    this.#changed.delete(follow)
  }

  changed(follow: Follow<Change>): void {
    this.#changed.add(follow)
    this.#subscriber.queue()
  }

  addFrames(frames: Frame[], bytes: number): boolean {
    // If there are snapshots too, snapshots and changes get half each, so that neither delays the other.
    const share = this.#new.size > 0 ? bytes / 2 : bytes
    this.#sendChanged(new FlushBatch(frames, share))
    if (this.#new.size > 0) this.#sendNew(new FlushBatch(frames, share))
    return this.#changed.size + this.#new.size > 0
  }

  /** The socket may take long to close; the references are released meanwhile. */
  closed(): void {
    this.#end()
  }

  #sendChanged(batch: FlushBatch): void {
    for (const follow of this.#changed) {
      if (batch.isOver) return
      batch.count(minBytes)
      this.#changed.delete(follow)
      // Further subscribers are flushed before the remainder.
      if (!this.#sendChanges(follow, batch)) this.#changed.add(follow)
    }
  }

  #sendNew(batch: FlushBatch): void {
    for (const follow of this.#new) {
      if (batch.isOver) return
      batch.count(minBytes)
      if (!this.#sendSnapshot(follow, batch)) return
      this.#new.delete(follow)
      // Usually there are no changes, and the subscriber is up to date.
      if (!this.#sendChanges(follow, batch)) this.#changed.add(follow)
    }
  }
  /** Sends the snapshot of a machine up to the capacity of the connection. Returns whether it is complete. */
  #sendSnapshot(follow: Follow<Change>, batch: FlushBatch): boolean {
    const { machineRef, changes } = follow.machine
    let last = Infinity
    this.#options.snapshot(machineRef, follow.parts?.next ?? 0, (frame, index) => {
      batch.put(frame)
      if (!batch.isOver) return true
      last = index
      return false
    })
    if (last < Infinity) follow.parts ??= new ShownParts()
    follow.parts?.add(last, changes.count)
    follow.sentCount = follow.parts?.inAll ?? changes.count
    return last === Infinity
  }

  /** Sends the changes of a machine up to the capacity of the connection. Returns whether all were sent. */
  #sendChanges(follow: Follow<Change>, batch: FlushBatch): boolean {
    const { machine, parts } = follow
    const { indexOf } = this.#options
    const isKnown = parts && ((change: Change, number: number) => parts.has(indexOf(change), number))
    follow.sentCount = machine.changes.since(follow.sentCount, batch, isKnown)
    if (follow.sentCount < machine.changes.count) return false
    follow.parts = null
    machine.markUpToDate(follow)
    return true
  }
}

/** Minimum cost of a machine, so that a flush does not visit thousands of machines without changes. */
const minBytes = 200
