import { Fenced, type Log, type NewRecord, type Transactor } from '../../log/log.ts'
import { readToEnd } from '../../log/read-to-end.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { backOffMs } from '../../shared/async/retry.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { pause } from '../../shared/async/waiting.ts'
import { decodePositions, type Position, positionsTopic } from './position.ts'

/** The calls of the log that owners of positions use. */
export type PositionsLog = Pick<Log, 'consume' | 'follow' | 'transactor'>

/** A partition whose connectors this process runs. */
export interface PartitionOwnership {
  readonly partition: number
  /** The stored positions by id. */
  readonly positions: ReadonlyMap<string, Position>
  /**
   * Stores records of the partition in one transaction, in the order of the calls. After a rejection the ownership ends:
   * later calls reject, `onLost` is called, and then `onOwned` with the stored positions if the group still assigns the
   * partition to this process.
   */
  readonly write: (records: readonly NewRecord[]) => Promise<void>
}

export interface OwnershipHandlers {
  /** Starts the connectors of a partition. */
  readonly onOwned: (ownership: PartitionOwnership) => Promise<void> | void
  /** Stops the connectors of a partition; they may write until the promise resolves. */
  readonly onLost: (partition: number) => Promise<void> | void
  /** Called after each failure to take or release a partition, which does not end the process. */
  readonly onProblem: (partition: number, error: unknown) => void
}

/** Takes and releases one partition, one change at a time. */
export class OwnedPartition {
  readonly #log: PositionsLog
  readonly #partition: number
  readonly #handlers: OwnershipHandlers
  readonly #serial = createSerial()
  #assigned = new AbortController()
  #transactor: Transactor | null = null
  /** Transactor of which a write has failed. */
  #failed: Transactor | null = null

  constructor(log: PositionsLog, partition: number, handlers: OwnershipHandlers) {
    this.#log = log
    this.#partition = partition
    this.#handlers = handlers
    this.#assigned.abort()
  }

  /** Takes the partition, which fences its previous owner; rejects if the log is unavailable. */
  assign(): Promise<void> {
    if (this.#assigned.signal.aborted) this.#assigned = new AbortController()
    return this.#serial(() => this.#take())
  }

  /** Resolves when the connectors of the partition have stopped. */
  revoke(): Promise<void> {
    this.#assigned.abort()
    return this.#serial(() => this.#release())
  }

  async #take(): Promise<void> {
    if (this.#assigned.signal.aborted || this.#transactor !== null) return
    const id = `connect-${this.#partition}`
    const transactor = await this.#log.transactor(id, { topics: [positionsTopic.name] })
    this.#transactor = transactor
    try {
      const positions = await readPositions(this.#log, this.#partition)
      const inOrder = createSerial()
      const write = (records: readonly NewRecord[]) => inOrder(() => this.#write(transactor, records))
      await this.#handlers.onOwned({ partition: this.#partition, positions, write })
    } catch (error) {
      await this.#release()
      throw error
    }
  }

  async #release(): Promise<void> {
    const transactor = this.#transactor
    if (transactor === null) return
    try {
      await this.#handlers.onLost(this.#partition)
    } finally {
      this.#transactor = null
      // A transactor that is not closed is fenced by the next one.
      await this.#try(() => transactor.close())
    }
  }

  /** Rejects after a failed write: a later one would store a position without the parts that the failed one lacks. */
  async #write(transactor: Transactor, records: readonly NewRecord[]): Promise<void> {
    if (this.#transactor !== transactor || this.#failed === transactor)
      throw new Fenced(`Partition ${this.#partition} is not owned any more`)
    try {
      await transactor.commit(records.map(record => ({ ...record, topic: positionsTopic.name })))
    } catch (error) {
      this.#failed = transactor
      // It reports failures.
      crashOnRejection(this.#serial(() => this.#takeAgain(transactor)))
      throw error
    }
  }

  /**
   * Stops the connectors after a failed write, whose outcome is unknown, and starts them at the stored positions. Also
   * after a newer owner: if the group has assigned the partition to it, this process gets a revocation meanwhile.
   */
  async #takeAgain(failed: Transactor): Promise<void> {
    if (this.#transactor !== failed) return
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

async function readPositions(log: PositionsLog, partition: number): Promise<ReadonlyMap<string, Position>> {
  const newest = new Map<string, Buffer>()
  await readToEnd(log, {
    topic: positionsTopic.name,
    from: 'earliest',
    partitions: [partition],
    onBatch: ({ records }) => {
      for (const { key, value } of records) {
        if (value.length === 0) newest.delete(key ?? '')
        else newest.set(key ?? '', value)
      }
    },
  })
  return decodePositions(newest)
}
