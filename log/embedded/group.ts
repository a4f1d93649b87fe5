import type { ConsumeOptions, Consumer } from '../log.ts'
import { assignPartitions } from '../assignment.ts'
import { randomUUID } from 'node:crypto'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { retry } from '../../shared/async/retry.ts'
import { PartitionCommits } from '../partition-commits.ts'
import type { Problems } from '../../shared/problems.ts'
import { Delivery } from '../delivery.ts'
import { Cursor } from './cursor.ts'
import type { PartitionLog } from './partition.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

/** Operations of the log that a consumer group uses. */
export interface GroupStore {
  readonly partitions: readonly PartitionLog[]
  readonly problems: Problems | undefined
  /** Returns the group's committed offset; null if there is none. */
  committed(partition: number): number | null
  /** Commits an offset, durably with the next write. `stillOwned` is checked immediately before the write. */
  commit(partition: number, nextOffset: number, stillOwned: () => boolean): Promise<void>
}

/** The consumers of one group and topic in this process; partitions move when one joins or leaves. */
export class ConsumerGroup {
  readonly #store: GroupStore
  readonly #members: Member[] = []
  #changing: Promise<void> = Promise.resolve()

  constructor(store: GroupStore) {
    this.#store = store
  }

  /** Resolves when the new member has its partitions. */
  async join(options: ConsumeOptions): Promise<Consumer> {
    const member = new Member(this.#store, options)
    await this.#change(() => this.#members.push(member))
    return {
      commit: (partition, nextOffset) => member.commit(partition, nextOffset),
      pause: partition => member.pause(partition),
      resume: partition => member.resume(partition),
      stop: async () => {
        await member.finish()
        await this.#change(() => this.#remove(member))
      },
    }
  }

  /** Stops all members after their batches in flight. */
  async close(): Promise<void> {
    const members = this.#members.splice(0)
    await Promise.all(members.map(member => member.finish()))
    await this.#changing
  }

  #remove(member: Member): void {
    const index = this.#members.indexOf(member)
    if (index >= 0) this.#members.splice(index, 1)
    member.releaseAll()
  }

  /** Runs changes sequentially: a partition is revoked from its old member before it is assigned to a new one. */
  #change(change: () => void): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      change()
      if (this.#members.length > 0) await this.#rebalance()
    })
    return this.#changing
  }

  async #rebalance(): Promise<void> {
    const members = [...this.#members]
    const shares = assignPartitions(
      this.#store.partitions.length,
      members.map(member => member.owned),
    )
    await Promise.all(members.map((member, index) => member.revokeExcept(shares[index] ?? new Set())))
    for (const [index, member] of members.entries()) member.assign(shares[index] ?? new Set())
  }
}

class Member {
  readonly #store: GroupStore
  readonly #options: ConsumeOptions
  readonly #cursors = new Map<number, Cursor>()
  readonly #paused = new Set<number>()
  readonly #commits = new WeakMap<Cursor, PartitionCommits>()
  #finished = false

  constructor(store: GroupStore, options: ConsumeOptions) {
    this.#store = store
    this.#options = options
  }

  get owned(): ReadonlySet<number> {
    return new Set(this.#cursors.keys())
  }

  async commit(partition: number, nextOffset: number): Promise<void> {
    const cursor = this.#cursors.get(partition)
    if (cursor === undefined) return
    const commits = this.#commits.get(cursor) ?? new PartitionCommits(offset => this.#commit(cursor, offset()))
    this.#commits.set(cursor, commits)
    await commits.commit(nextOffset)
  }

  async #commit(cursor: Cursor, nextOffset: number): Promise<number> {
    const { partition } = cursor
    await this.#store.commit(partition, nextOffset, () => this.#cursors.get(partition) === cursor)
    return nextOffset
  }

  pause(partition: number): void {
    this.#paused.add(partition)
    this.#cursors.get(partition)?.pause()
  }

  resume(partition: number): void {
    this.#paused.delete(partition)
    this.#cursors.get(partition)?.resume()
  }

  /** Revokes the partitions that are not in `kept`. A batch in flight continues, but its commit is ignored. */
  async revokeExcept(kept: ReadonlySet<number>): Promise<void> {
    const lost = [...this.#cursors].filter(([partition]) => !kept.has(partition))
    if (lost.length === 0) return
    for (const [partition, cursor] of lost) {
      this.#cursors.delete(partition)
      this.#paused.delete(partition)
      // The cursor waits for its handler and handles its errors.
      crashOnRejection(cursor.stop())
    }
    // The partitions are revoked even if the callback fails.
    await this.#options.onRevoked?.(lost.map(([partition]) => partition)).catch(() => undefined)
  }

  assign(assigned: ReadonlySet<number>): void {
    if (this.#finished) return
    const gained = [...assigned].filter(partition => !this.#cursors.has(partition))
    const cursors = gained.flatMap(partition => {
      const log = this.#store.partitions[partition]
      return log === undefined ? [] : [this.#cursor(log)]
    })
    // `#begin` retries after failures, so it never rejects.
    if (cursors.length > 0) crashOnRejection(this.#begin(cursors))
  }

  /** Stops reading; resolves when the batches in flight are handled. They can still be committed. */
  async finish(): Promise<void> {
    this.#finished = true
    await Promise.all([...this.#cursors.values()].map(cursor => cursor.stop()))
  }

  releaseAll(): void {
    this.#cursors.clear()
  }

  #cursor(log: PartitionLog): Cursor {
    const { topic, partition } = log
    const { problems } = this.#store
    const cursor = new Cursor(log, new Delivery({ ...this.#options, topic, partition, problems }))
    this.#cursors.set(partition, cursor)
    return cursor
  }

  async #begin(cursors: readonly Cursor[]): Promise<void> {
    const alive = (): Cursor[] => cursors.filter(cursor => !cursor.stopped)
    const notifyAssigned = async (): Promise<void> => {
      if (alive().length > 0) await this.#options.onAssigned?.(alive().map(({ partition }) => partition))
    }
    const failure = new RepeatedFailure(this.#store.problems, `beginning ${randomUUID()}`)
    const { topic, group } = this.#options
    const message = `The consumer ${group} of ${topic} cannot start reading its partitions. The log of the process has the error.`
    const onRetry = (error: unknown): void =>
      failure.failed(error, () => ({ code: 'consumer_failing', message, topic }))
    await retry(notifyAssigned, { firstDelayMs: 50, maxDelayMs: 5_000, onRetry })
    failure.ended()
    for (const cursor of alive()) {
      const { partition } = cursor
      if (this.#paused.has(partition)) cursor.pause()
      cursor.startAt(this.#store.committed(partition) ?? this.#store.partitions[partition]?.start ?? 0)
    }
  }
}
