import { Notifier } from '../../../shared/async/waiting.ts'
import type { CloseReason } from '../../../schema/requests/live.ts'
import type { Connection } from './connection.ts'
import type { Frame, Outgoing } from './frame.ts'
import type { FlushScheduler } from './flush-scheduler.ts'

export interface BufferLimits {
  /** Maximum bytes of unsent frames of one subscriber. */
  readonly bytes: number
  /** Time after which a blocked subscriber is disconnected, ms. */
  readonly blockedMs: number
}

/** A source of frames that are encoded during the subscriber's flush. */
export interface FrameSource<Sent extends Outgoing = Frame> {
  /** Adds frames of about `bytes` in total; returns true if there are more. */
  addFrames(frames: Sent[], bytes: number): boolean
  /** The subscriber is closed. */
  closed?(): void
}

/** Approximate bytes of a source per flush. */
const batchBytes = 64 * 1024

/**
 * Output of one client: a bounded buffer, flushed when the connection has capacity. Of each key it has the newest
 * frame, in order of arrival. A subscriber that is blocked too long is disconnected.
 */
export class Subscriber<Sent extends Outgoing = Frame> {
  readonly #connection: Connection<Sent>
  readonly #scheduler: FlushScheduler
  readonly #limits: BufferLimits
  /** Unsent frames by key; frames that are never replaced have negative keys. */
  readonly #frames = new Map<number, Sent>()
  /** Bytes of the unsent frames, without responses. */
  #bytes = 0
  #nextKey = -1
  #source: FrameSource<Sent> | null = null
  #isBlocked = false
  #blockedSinceMs = 0
  #isClosed = false
  readonly #unblocked = new Notifier()
  /** Whether it waits in the queue of `FlushScheduler`, which maintains the flag. */
  isQueued = false

  constructor(connection: Connection<Sent>, scheduler: FlushScheduler, limits: BufferLimits) {
    this.#connection = connection
    this.#scheduler = scheduler
    this.#limits = limits
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Queues a frame; it replaces the unsent one of its key (0 or more) and goes to the end. */
  offer(key: number, frame: Sent): void {
    if (this.#isClosed) return
    this.forget(key)
    this.#frames.set(key, frame)
    this.#bytes += frame.bytes
    this.#added()
  }

  /** Removes the unsent frame of a key (0 or more). */
  forget(key: number): void {
    this.#bytes -= this.#frames.get(key)?.bytes ?? 0
    this.#frames.delete(key)
  }

  /** Queues a frame that is never replaced. */
  push(frame: Sent): void {
    this.offer(this.#nextKey--, frame)
  }

  /**
   * Sends a response to a command regardless of its size: the client's next command waits until the connection has
   * capacity again.
   */
  respond(frame: Sent): void {
    if (this.#isClosed) return
    this.#frames.set(this.#nextKey--, frame)
    this.queue()
  }

  /** Resolves when there is capacity, or the connection is closed. */
  async room(): Promise<void> {
    if (this.#isBlocked && !this.#isClosed) await this.#unblocked.wait()
  }

  /** Sets the source of frames for flushes; null: none. */
  readFrom(source: FrameSource<Sent> | null): void {
    this.#source = source
    if (source !== null) this.queue()
  }

  /** Schedules a flush if the connection has capacity and there is anything to send. */
  queue(): void {
    if (!this.isQueued && !this.#isBlocked && !this.#isClosed) this.#scheduler.add(this)
  }

  onDrain(): void {
    if (!this.#isBlocked) return
    this.#isBlocked = false
    this.#unblocked.ring()
    this.queue()
  }

  /** Writes the buffer and the frames of the source; called by the scheduler. */
  flush(): void {
    if (this.#isClosed || this.#isBlocked) return
    const frames = this.#removeFrames()
    const isMore = this.#source?.addFrames(frames, batchBytes) ?? false
    this.#write(frames)
    if (isMore) this.queue()
  }

  /** Closes the subscriber if it has been blocked for too long. */
  checkPace(nowMs: number): void {
    if (this.#isBlocked && nowMs - this.#blockedSinceMs > this.#limits.blockedMs) this.close('slow_reader')
  }

  close(reason: CloseReason): void {
    if (this.#isClosed) return
    this.closed()
    this.#connection.close(reason)
  }

  /** The connection is closed or about to close. */
  closed(): void {
    this.#isClosed = true
    const source = this.#source
    this.#source = null
    source?.closed?.()
    this.#removeFrames()
    this.#unblocked.ring()
  }

  #write(frames: readonly Sent[]): void {
    if (frames.length === 0 || this.#connection.write(frames) || this.#isClosed) return
    this.#isBlocked = true
    this.#blockedSinceMs = performance.now()
  }

  #added(): void {
    if (this.#bytes <= this.#limits.bytes) this.queue()
    else if (this.#isBlocked) this.close('slow_reader')
    else this.#write(this.#removeFrames())
  }

  #removeFrames(): Sent[] {
    if (this.#frames.size === 0) return []
    const frames = [...this.#frames.values()]
    this.#frames.clear()
    this.#bytes = 0
    return frames
  }
}
