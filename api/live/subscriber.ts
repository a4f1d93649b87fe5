import type { CloseReason } from '../../schema/requests/live.ts'
import type { Connection } from './connection.ts'
import type { Frame, Outgoing } from './frame.ts'
import { Outbox } from './outbox.ts'
import type { FlushScheduler } from './flush-scheduler.ts'

export interface BufferLimits {
  /** Bytes of frames that may wait for one subscriber. */
  readonly bytes: number
  /** Time after which a blocked subscriber is disconnected, ms. */
  readonly blockedMs: number
}

/** A source of frames that are encoded during the subscriber's flush. */
export interface FrameSource<Sent extends Outgoing = Frame> {
  /** Adds some frames, about `bytes` of them; true: there are more. */
  take(frames: Sent[], bytes: number): boolean
  /** The subscriber is closed. */
  closed?(): void
}

/** Approximate bytes of a source per flush. */
const turnBytes = 64 * 1024

/**
 * Output of one client: a bounded buffer, flushed when the connection has capacity. A subscriber that is blocked too
 * long is disconnected.
 */
export class Subscriber<Sent extends Outgoing = Frame> {
  readonly #connection: Connection<Sent>
  readonly #scheduler: FlushScheduler
  readonly #limits: BufferLimits
  readonly #outbox = new Outbox<Sent>()
  #source: FrameSource<Sent> | null = null
  #isBlocked = false
  #blockedSinceMs = 0
  #isClosed = false
  #waiting: (() => void)[] = []
  /** Whether it waits for its turn; kept by `FlushScheduler`. */
  isQueued = false

  constructor(connection: Connection<Sent>, scheduler: FlushScheduler, limits: BufferLimits) {
    this.#connection = connection
    this.#scheduler = scheduler
    this.#limits = limits
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Sends the newest frame of a key, sooner or later. */
  offer(key: number, frame: Sent): void {
    if (this.#isClosed) return
    this.#outbox.put(key, frame)
    this.#added()
  }

  /** Forgets the frame of a key, where it still waits. */
  forget(key: number): void {
    this.#outbox.remove(key)
  }

  /** Sends a frame that nothing replaces. */
  push(frame: Sent): void {
    if (this.#isClosed) return
    this.#outbox.push(frame)
    this.#added()
  }

  /**
   * Sends an answer that the client asked for, however large it is: the client's next command waits until there is room
   * again.
   */
  answer(frame: Sent): void {
    if (this.#isClosed) return
    this.#outbox.answer(frame)
    this.queue()
  }

  /** Resolves when there is room, or the connection is gone. */
  async room(): Promise<void> {
    if (this.#isBlocked && !this.#isClosed) await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Sets the source of frames for flushes; null: none. */
  readFrom(source: FrameSource<Sent> | null): void {
    this.#source = source
    if (source !== null) this.queue()
  }

  /** Gives it a turn, when there is room: something waits, or its source has something. */
  queue(): void {
    if (!this.isQueued && !this.#isBlocked && !this.#isClosed) this.#scheduler.add(this)
  }

  roomAgain(): void {
    if (!this.#isBlocked) return
    this.#isBlocked = false
    this.#wake()
    this.queue()
  }

  /** Writes the buffer and the frames of the source; called by the scheduler. */
  flush(): void {
    if (this.#isClosed || this.#isBlocked) return
    const frames = this.#outbox.take()
    const isMore = this.#source?.take(frames, turnBytes) ?? false
    this.#write(frames)
    if (isMore) this.queue()
  }

  /** Closes it where it has taken nothing for too long. */
  checkPace(nowMs: number): void {
    if (this.#isBlocked && nowMs - this.#blockedSinceMs > this.#limits.blockedMs) this.close('slow_reader')
  }

  close(reason: CloseReason): void {
    if (this.#isClosed) return
    this.closed()
    this.#connection.close(reason)
  }

  /** The connection is gone, or about to be. */
  closed(): void {
    this.#isClosed = true
    const source = this.#source
    this.#source = null
    source?.closed?.()
    this.#outbox.take()
    this.#wake()
  }

  #write(frames: readonly Sent[]): void {
    if (frames.length === 0 || this.#connection.write(frames) || this.#isClosed) return
    this.#isBlocked = true
    this.#blockedSinceMs = performance.now()
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #added(): void {
    if (this.#outbox.bytes <= this.#limits.bytes) this.queue()
    else if (this.#isBlocked) this.close('slow_reader')
    else this.#write(this.#outbox.take())
  }
}
