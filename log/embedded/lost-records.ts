import { deferred } from '../../shared/async/deferred.ts'
import type { LostRecords } from '../log.ts'
import { damageKey, damageRange } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import type { Gap } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'
import type { Writer } from './writer.ts'

export interface LossOptions {
  /** UTC ms. */
  readonly clock: () => number
  /** Called for each loss that is not accepted: at the start, and when it is found. */
  readonly onLoss: (loss: LostRecords) => void
  /** Called when such a loss has been accepted, or is part of a larger one. */
  readonly onLossClosed: (loss: LostRecords) => void
}

interface StoredLoss {
  readonly key: Buffer
  readonly loss: LostRecords
}

/** All losses of a log, in memory and in the store. */
export class LossRegister {
  readonly #options: LossOptions
  readonly #losses = new Map<string, StoredLoss>()
  readonly #writer = deferred<Writer>()

  private constructor(options: LossOptions) {
    this.#options = options
  }

  static async open(store: LevelDbStore, options: LossOptions): Promise<LossRegister> {
    const register = new LossRegister(options)
    for await (const [key, value] of store.entries(damageRange)) {
      const loss: LostRecords = JSON.parse(value.toString())
      register.#losses.set(key.toString('hex'), { key, loss })
      if (loss.acceptedMs === null) options.onLoss(loss)
    }
    return register
  }

  /** Sets the writer, and writes the losses found so far. */
  writeTo(writer: Writer): void {
    this.#writer.resolve(writer)
  }

  list(): readonly LostRecords[] {
    return [...this.#losses.values()].map(({ loss }) => loss)
  }

  async accept(): Promise<readonly LostRecords[]> {
    const acceptedMs = this.#options.clock()
    const accepted = [...this.#losses.values()]
      .filter(({ loss }) => loss.acceptedMs === null)
      .map(({ key, loss }) => ({ key, loss: { ...loss, acceptedMs } }))
    await this.#write(accepted.map(writeOf))
    for (const stored of accepted) {
      this.#losses.set(stored.key.toString('hex'), stored)
      this.#options.onLossClosed(stored.loss)
    }
    return accepted.map(({ loss }) => loss)
  }

  /** Adds a gap of a partition unless it is known. A gap that has grown must be accepted again. */
  add({ topic, topicId, partition }: PartitionLog, gap: Gap): void {
    const grown = [...this.#losses.values()].filter(
      ({ loss }) => loss.topic === topic && loss.partition === partition && loss.from < gap.to && gap.from < loss.to,
    )
    if (grown.some(({ loss }) => loss.from <= gap.from && gap.to <= loss.to)) return
    const from = Math.min(gap.from, ...grown.map(({ loss }) => loss.from))
    const to = Math.max(gap.to, ...grown.map(({ loss }) => loss.to))
    const { afterMs, beforeMs } = gap
    const loss = { topic, partition, from, to, afterMs, beforeMs, foundMs: this.#options.clock(), acceptedMs: null }
    const stored = { key: damageKey(topicId, partition, from), loss }
    for (const { key, loss: part } of grown) {
      this.#losses.delete(key.toString('hex'))
      this.#options.onLossClosed(part)
    }
    this.#losses.set(stored.key.toString('hex'), stored)
    this.#options.onLoss(loss)
    const writes = [...grown.map(({ key }) => ({ key, value: null })), writeOf(stored)]
    // The next start finds the gap again.
    this.#write(writes).catch(() => undefined)
  }

  async #write(writes: readonly Write[]): Promise<void> {
    const writer = await this.#writer.promise
    await writer.submit({ writes, sync: true })
  }
}

function writeOf({ key, loss }: StoredLoss): Write {
  return { key, value: Buffer.from(JSON.stringify(loss)) }
}
