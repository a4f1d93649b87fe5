import type { NewRecord } from '../../log/log.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { pause } from '../../shared/async/waiting.ts'
import type { PartitionOwnership } from '../positions/owned-partition.ts'
import type { Position } from '../positions/position.ts'

/** Time between two writes of a partition, ms. */
const defaultIntervalMs = 1_000
/** Bytes of positions above which another transaction follows. */
const transactionBytes = 4 << 20

export interface PositionWriterOptions {
  readonly intervalMs?: number
  /** Called if a position cannot be written because of its content. */
  readonly onInvalid: (position: Position, error: unknown) => void
}

/** Records of a position, and its `noted`. */
interface Changes {
  readonly position: Position
  readonly noted: number
  readonly records: readonly NewRecord[]
}

/**
 * Stores the changed positions of a partition: those of many connectors in one transaction, at most one in each
 * interval, because Kafka's transactions of a partition follow one another. After a rejected write the ownership ends.
 */
export class PositionWriter {
  readonly #ownership: Pick<PartitionOwnership, 'write'>
  readonly #options: PositionWriterOptions
  readonly #changed = new Set<Position>()
  /** Positions whose first head is being written. */
  readonly #first = new Set<Position>()
  readonly #stopped = new AbortController()
  #isRunning = false
  #writtenMs = -Infinity

  constructor(ownership: Pick<PartitionOwnership, 'write'>, options: PositionWriterOptions) {
    this.#ownership = ownership
    this.#options = options
  }

  /**
   * Lets a position be stored: the first one of a connector immediately, because without it the next owner begins with
   * the present values; a later one within the interval. `onFirstStored`: called when the first one is stored.
   */
  changed(position: Position, onFirstStored: () => void = () => undefined): void {
    this.#changed.add(position)
    const isFirst = position.head !== null && !position.isStored && !this.#first.has(position)
    if (isFirst && !this.#stopped.signal.aborted) return crashOnRejection(this.#storeFirst(position, onFirstStored))
    if (this.#isRunning || this.#stopped.signal.aborted) return
    this.#isRunning = true
    // The owner handles a failed write.
    crashOnRejection(this.#run())
  }

  /** Stores a position now, if it has changed since it was stored; rejects if the partition is not owned any more. */
  async flush(position: Position): Promise<void> {
    if (this.#changed.delete(position)) await this.#write([this.#changesOf(position)])
  }

  /** Deletes a stored position. */
  async remove(position: Position): Promise<void> {
    this.#changed.delete(position)
    await this.#ownership.write(position.deletion())
  }

  /** Ends the writes. */
  stop(): void {
    this.#stopped.abort()
  }

  async #storeFirst(position: Position, onStored: () => void): Promise<void> {
    this.#changed.delete(position)
    const changes = this.#changesOf(position)
    if (changes.records.length === 0) return
    this.#first.add(position)
    try {
      await this.#write([changes])
    } catch {
      // The owner handles a failed write.
      return
    } finally {
      this.#first.delete(position)
    }
    position.isStored = true
    onStored()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    while (this.#changed.size > 0) {
      const sinceMs = performance.now() - this.#writtenMs
      await pause(Math.max(0, (this.#options.intervalMs ?? defaultIntervalMs) - sinceMs), signal)
      if (signal.aborted) return
      this.#writtenMs = performance.now()
      try {
        await this.#write(this.#takeChanges())
      } catch {
        // The partition stops its connectors and is read again.
        return this.stop()
      }
    }
    // Synchronous with the last check for changed positions.
    this.#isRunning = false
  }

  async #write(all: readonly Changes[]): Promise<void> {
    const records = all.flatMap(changes => changes.records)
    if (records.length > 0) await this.#ownership.write(records)
    for (const { position, noted } of all) position.onStored(noted)
  }

  #takeChanges(): readonly Changes[] {
    const all: Changes[] = []
    let bytes = 0
    for (const position of this.#changed) {
      if (bytes >= transactionBytes) break
      this.#changed.delete(position)
      const changes = this.#changesOf(position)
      if (changes.records.length > 0) all.push(changes)
      bytes += changes.records.reduce((sum, { value }) => sum + value.length, 0)
    }
    return all
  }

  #changesOf(position: Position): Changes {
    const { noted } = position
    try {
      return { position, noted, records: position.takeChanges() }
    } catch (error) {
      this.#options.onInvalid(position, error)
      return { position, noted, records: [] }
    }
  }
}
