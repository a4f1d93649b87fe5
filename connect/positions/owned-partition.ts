import { randomUUID } from 'node:crypto'
import { Fenced, type Log, type NewRecord, type Transactor } from '../../log/log.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { backOffMs } from '../../shared/async/retry.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { pause } from '../../shared/async/waiting.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { type FollowedPartition, followPartition, ownerKey } from './followed-partition.ts'
import { type Position, positionsTopic } from './position.ts'

/**
 * Time that a new owner waits for the previous one to store its last positions, ms: a connector stops within 5 s, then its
 * position is stored, and the previous owner may begin up to 3 s later. After a crash, nothing releases the partition.
 */
export const defaultReleaseWithinMs = 10_000

/** The calls of the log that owners of positions use. */
export type PositionsLog = Pick<Log, 'kind' | 'consume' | 'follow' | 'transactor'>

/** A partition whose connectors this process runs. */
export interface PartitionOwnership {
  readonly partition: number
  /** The stored positions by id. */
  readonly positions: ReadonlyMap<string, Position>
  /**
   * Stores records of the partition in one transaction, in the order of the calls; repeats it while the log is unavailable.
   * After a rejection the ownership ends, because the group has revoked the partition or there is a newer owner: later calls
   * reject, `onLost` is called, and then `onOwned` with the stored positions if the group still assigns the partition to
   * this process.
   */
  readonly write: (records: readonly NewRecord[]) => Promise<void>
}

export interface OwnershipHandlers {
  /** Starts the connectors of a partition. */
  readonly onOwned: (ownership: PartitionOwnership) => Promise<void> | void
  /** Stops the connectors of a partition; they may write until the promise resolves. */
  readonly onLost: (partition: number) => Promise<void> | void
  /** Called after each failure to take or release a partition, or to store its positions. It does not end the process. */
  readonly onProblem: (partition: number, error: unknown) => void
}

/** An ownership of a partition. */
interface Ownership {
  /** Text of the record that names this ownership. */
  readonly token: string
  readonly inOrder: ReturnType<typeof createSerial>
  transactor: Transactor
  isEnded: boolean
}

/** Takes and releases one partition, one change at a time. */
export class OwnedPartition {
  readonly #log: PositionsLog
  readonly #partition: number
  readonly #handlers: OwnershipHandlers
  readonly #releaseWithinMs: number
  readonly #serial = createSerial()
  #assigned = new AbortController()
  #owned: Ownership | null = null
  /** Text of the record that names the last ownership of this process. */
  #lastToken: string | null = null

  constructor(log: PositionsLog, partition: number, handlers: OwnershipHandlers, releaseWithinMs: number) {
    this.#log = log
    this.#partition = partition
    this.#handlers = handlers
    this.#releaseWithinMs = releaseWithinMs
    this.#assigned.abort()
  }

  /**
   * Takes the partition when its previous owner has released it, or fences that owner. Rejects if the log is unavailable,
   * or with `NewerPositions`; the caller repeats it.
   */
  async assign(): Promise<void> {
    if (this.#assigned.signal.aborted) this.#assigned = new AbortController()
    try {
      await this.#serial(() => this.#take())
    } catch (error) {
      this.#handlers.onProblem(this.#partition, error)
      throw error
    }
  }

  /** Resolves when the connectors of the partition have stopped. */
  revoke(): Promise<void> {
    this.#assigned.abort()
    return this.#serial(() => this.#release())
  }

  async #take(): Promise<void> {
    const { signal } = this.#assigned
    if (signal.aborted || this.#owned !== null) return
    const stored = await followPartition(this.#log, this.#partition)
    try {
      await this.#waitForRelease(stored, signal)
      if (!signal.aborted) await this.#takeStored(stored)
    } finally {
      await stored.stop()
    }
  }

  /** In the embedded log, a partition is assigned only after the previous owner has released it. */
  async #waitForRelease(stored: FollowedPartition, signal: AbortSignal): Promise<void> {
    if (this.#log.kind === 'embedded') return
    const released = async (): Promise<void> => {
      await stored.caughtUp
      while (![null, this.#lastToken].includes(stored.owner())) await stored.changed()
    }
    await withTimeout(this.#releaseWithinMs, released(), () => undefined, { signal })
  }

  async #takeStored(stored: FollowedPartition): Promise<void> {
    const owned: Ownership = {
      token: randomUUID(),
      inOrder: createSerial(),
      transactor: await this.#openTransactor(),
      isEnded: false,
    }
    this.#owned = owned
    this.#lastToken = owned.token
    try {
      await stored.catchUp()
      const positions = stored.positions()
      await this.#commit(owned, [this.#ownerRecord(owned.token)])
      const write = (records: readonly NewRecord[]) => owned.inOrder(() => this.#write(owned, records))
      await this.#handlers.onOwned({ partition: this.#partition, positions, write })
    } catch (error) {
      await this.#release()
      throw error
    }
  }

  async #release(): Promise<void> {
    const owned = this.#owned
    if (owned === null) return
    try {
      await this.#handlers.onLost(this.#partition)
    } finally {
      const { isEnded } = owned
      // A write that is being repeated must not open a transactor afterwards, which would fence the next owner.
      owned.isEnded = true
      await owned.inOrder(() => Promise.resolve())
      this.#owned = null
      if (!isEnded) await this.#try(() => this.#commit(owned, [this.#ownerRecord('')]))
      // A transactor that is not closed is fenced by the next one.
      await this.#try(() => owned.transactor.close())
    }
  }

  /** Names an ownership; an empty text: it has ended, after its last write. */
  #ownerRecord(token: string): NewRecord {
    return { key: ownerKey, value: Buffer.from(token), partition: this.#partition }
  }

  /** Repeats a failed write, whose outcome is unknown, before later ones: their positions lack the parts that it contains. */
  async #write(owned: Ownership, records: readonly NewRecord[]): Promise<void> {
    const { signal } = this.#assigned
    for (let failures = 0; ; failures++) {
      if (owned.isEnded) throw new Fenced(`Partition ${this.#partition} is not owned any more`)
      try {
        if (failures > 0) await this.#openAgain(owned)
        return await this.#commit(owned, records)
      } catch (error) {
        if (!(error instanceof Fenced) && !signal.aborted) {
          this.#handlers.onProblem(this.#partition, error)
          await pause(backOffMs(failures, 1_000), signal)
          if (!signal.aborted) continue
        }
        this.#end(owned)
        throw error
      }
    }
  }

  async #commit({ transactor }: Ownership, records: readonly NewRecord[]): Promise<void> {
    await transactor.commit(records.map(record => ({ ...record, topic: positionsTopic.name })))
  }

  #openTransactor(): Promise<Transactor> {
    return this.#log.transactor(`connect-${this.#partition}`, { topics: [positionsTopic.name] })
  }

  /** Replaces the transactor after a failed write; rejects with `Fenced` if another process has owned the partition since. */
  async #openAgain(owned: Ownership): Promise<void> {
    const failed = owned.transactor
    owned.transactor = await this.#openTransactor()
    await this.#try(() => failed.close())
    const stored = await followPartition(this.#log, this.#partition)
    try {
      await stored.caughtUp
      if (stored.owner() !== owned.token) throw new Fenced(`Partition ${this.#partition} has had another owner`)
    } finally {
      await stored.stop()
    }
  }

  #end(owned: Ownership): void {
    owned.isEnded = true
    // It reports failures.
    crashOnRejection(this.#serial(() => this.#takeAgain(owned)))
  }

  /**
   * Stops the connectors of an ownership that has ended, and starts them at the stored positions. Also after a newer owner:
   * if the group has assigned the partition to it, this process gets a revocation meanwhile.
   */
  async #takeAgain(ended: Ownership): Promise<void> {
    if (this.#owned !== ended) return
    await this.#try(() => this.#release())
    const { signal } = this.#assigned
    for (let failures = 0; !signal.aborted; failures++) {
      await pause(backOffMs(failures, 1_000), signal)
      if (await this.#try(() => this.#take())) return
    }
  }

  /** Returns whether a step has succeeded, and reports its failure. */
  async #try(step: () => Promise<void>): Promise<boolean> {
    try {
      await step()
      return true
    } catch (error) {
      this.#handlers.onProblem(this.#partition, error)
      return false
    }
  }
}
