import {
  Fenced,
  type ConsumeOptions,
  type Consumer,
  type DeletedRange,
  type Follower,
  type FollowOptions,
  type InputOffset,
  type Log,
  type LogDamage,
  type LostRecords,
  type NewRecord,
  type Position,
  type TopicSpec,
  type Transactor,
} from '../log.ts'
import { every } from '../../shared/async/every.ts'
import { Cursor } from './cursor.ts'
import { ConsumerGroup } from './group.ts'
import { Offsets } from './offsets.ts'
import { readCatalogue, writeCatalogue } from './catalogue.ts'
import { newestEndsInJournals } from './journal.ts'
import { checkFormat } from './format.ts'
import { endsKey } from './keys.ts'
import { LossRegister } from './lost-records.ts'
import { PartitionEnds } from './partition-ends.ts'
import { Compaction } from './compaction.ts'
import { deleteBefore, expire } from './retention.ts'
import { LevelDbStore } from './store.ts'
import { Topics, type EmbeddedTopic } from './topics.ts'
import { Writer, type Job } from './writer.ts'
import { Delivery } from '../delivery.ts'
import { CompactedTopics } from '../compacted-topics.ts'
import { followStarts } from '../follow-starts.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { Problems } from '../../shared/problems.ts'
import { Partitioner } from '../partitioner.ts'

export interface EmbeddedLogOptions {
  /** Directory of the log, created if missing; only one process can open it. */
  readonly path: string
  /** Returns the current time, UTC ms, for timestamps of records and for retention. Default: `Date.now`. */
  readonly clock?: () => number
  /** Interval at which old records are deleted, ms. */
  readonly retentionEveryMs?: number
  /** Called for each loss of acknowledged records that was not accepted: at the start, and when it is found. */
  readonly onLoss?: (loss: LostRecords) => void
  /** Called when such a loss has been accepted, or is part of a larger one. */
  readonly onLossClosed?: (loss: LostRecords) => void
  /** Called with LevelDB's message each time a file cannot be read. */
  readonly onDamagedFile?: (message: string) => void
  /** Receives the problems of the log. */
  readonly problems?: Problems
}

/**
 * Opens the embedded log: partitions, groups and replay on LevelDB in this process. Acknowledged appends survive a
 * crash of the machine (fsync per group of appends); committed offsets, except those of a transactor, may fall back a
 * little after a power failure. Checks all records in the background and reports lost ones; readers skip them. Rejects
 * with `LogUnavailable` if the directory cannot be opened.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<Log & { readonly damage: LogDamage }> {
  // Before LevelDB opens the journals, because it then deletes them.
  const journalEnds = await newestEndsInJournals(options.path)
  const store = await LevelDbStore.open(options.path, options.onDamagedFile ?? (() => undefined))
  try {
    return await EmbeddedLog.open(store, journalEnds, options)
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Parts {
  readonly store: LevelDbStore
  readonly topics: Topics
  readonly offsets: Offsets
  readonly writer: Writer
  readonly losses: LossRegister
}

class EmbeddedLog implements Log {
  readonly kind = 'embedded'
  readonly #store: LevelDbStore
  readonly #topics: Topics
  readonly #offsets: Offsets
  readonly #writer: Writer
  readonly #groups = new Map<string, ConsumerGroup>()
  readonly #followers = new Set<Follower>()
  readonly #partitioners = new Map<EmbeddedTopic, Partitioner>()
  readonly #transactors = new Map<string, object>()
  readonly #compacted = new CompactedTopics()
  readonly #compaction: Compaction
  readonly #stopMaintenance: () => void
  readonly #now: () => number
  readonly #path: string
  readonly damage: LogDamage
  #closing = false
  readonly #problems: Problems | undefined
  #expiring: Promise<void> = Promise.resolve()
  #creating: Promise<void> = Promise.resolve()

  private constructor(
    { store, topics, offsets, writer, losses }: Parts,
    { clock = Date.now, path, retentionEveryMs = 60_000, problems }: EmbeddedLogOptions,
  ) {
    this.#store = store
    this.#topics = topics
    this.#offsets = offsets
    this.#now = clock
    this.#path = path
    this.#problems = problems
    this.#writer = writer
    this.#compaction = new Compaction(store, writer)
    this.damage = {
      list: () => losses.list(),
      accept: () => losses.accept(),
      checked: this.#check(),
    }
    this.#stopMaintenance = every(retentionEveryMs, () => this.#maintain())
  }

  static async open(
    store: LevelDbStore,
    journalEnds: Buffer | null,
    options: EmbeddedLogOptions,
  ): Promise<EmbeddedLog> {
    const { clock = Date.now, onLoss = () => undefined, onLossClosed = () => undefined, path } = options
    await checkFormat(store)
    const losses = await LossRegister.open(store, { clock, onLoss, onLossClosed })
    const ends = new PartitionEnds()
    for (const stored of [journalEnds, await store.get(endsKey)]) if (stored) ends.raiseTo(stored)
    const catalogue = await readCatalogue(path)
    const topics = await Topics.open(store, { catalogue, ends, onGap: (log, gap) => losses.add(log, gap) })
    const offsets = await Offsets.open(store)
    for (const log of topics.partitions()) offsets.skipLost(log)
    const writer = new Writer(store, () => topics.partitions(), clock)
    losses.writeTo(writer)
    return new EmbeddedLog({ store, topics, offsets, writer, losses }, options)
  }

  createTopics(specs: readonly TopicSpec[]): Promise<void> {
    this.#compacted.add(specs)
    // Sequential, so that ids of topics are unique.
    const created = this.#creating.then(async () => {
      const { writes, undo, written } = this.#topics.plan(specs)
      if (writes.length === 0) return
      await this.#writer.submit({ writes, undo, sync: true })
      await written()
      await this.#writeCatalogue()
    })
    this.#creating = created.catch(() => undefined)
    return created
  }

  async topicNames(): Promise<readonly string[]> {
    return this.#topics.all().map(({ name }) => name)
  }

  async partitionCount(topic: string): Promise<number> {
    return this.#topics.get(topic).partitions.length
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return []
    return this.#writer.submit({ records: this.#placed(topic, records), sync: true })
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    return this.#group(options.group, this.#topics.get(options.topic)).join(options)
  }

  async follow(options: FollowOptions): Promise<Follower> {
    const { topic, onBatch } = options
    const all = this.#topics.get(topic).partitions
    const starts = followStarts(options, all)
    const logs = all.filter(({ partition }) => starts.has(partition))
    const problems = this.#problems
    const cursors = logs.map(
      log => new Cursor(log, new Delivery({ topic, partition: log.partition, onBatch, problems })),
    )
    const ends = logs.map(({ end }) => end)
    for (const cursor of cursors) cursor.startAt(starts.get(cursor.partition) ?? 0)
    const reachedAll = async (to: readonly number[]): Promise<void> => {
      await Promise.all(cursors.map((cursor, index) => cursor.reached(to[index] ?? 0)))
    }
    const follower: Follower = {
      caughtUp: reachedAll(ends),
      catchUp: () => reachedAll(logs.map(({ end }) => end)),
      stop: async () => {
        this.#followers.delete(follower)
        await Promise.all(cursors.map(cursor => cursor.stop()))
      },
    }
    this.#followers.add(follower)
    return follower
  }

  async transactor(id: string): Promise<Transactor> {
    const self = {}
    this.#transactors.set(id, self)
    // Waits for writes in progress: afterwards, the previous transactor can write no more records.
    await this.#writer.probe().catch(() => undefined)
    const mustBeNewest = (): void => {
      if (this.#transactors.get(id) !== self) throw new Fenced(`A newer transactor ${id} exists`)
    }
    return {
      commit: async (records, input) => {
        mustBeNewest()
        return this.#commitAll(records, input, mustBeNewest)
      },
      close: async () => {
        if (this.#transactors.get(id) === self) this.#transactors.delete(id)
      },
    }
  }

  async endOffsets(topic: string): Promise<readonly number[]> {
    return this.#topics.get(topic).partitions.map(({ end }) => end)
  }

  async committed(group: string, topic: string): Promise<readonly (number | null)[]> {
    const { id, partitions } = this.#topics.get(topic)
    return partitions.map(({ partition }) => this.#offsets.get({ group, topic: id, partition }))
  }

  deleteRecords(topic: string, { partition, ...before }: DeletedRange): Promise<void> {
    const log = this.#topics.get(topic).partitions[partition]
    if (!log) return Promise.reject(new RangeError(`${topic} has no partition ${partition}`))
    const deleting = this.#expiring.then(() => deleteBefore(log, before, this.#store, this.#writer))
    this.#expiring = deleting.catch(() => undefined)
    return deleting
  }

  whileReachable<T>(call: () => Promise<T>): Promise<T> {
    return call()
  }

  async ping(): Promise<void> {
    await this.#writer.probe()
  }

  async close(): Promise<void> {
    this.#stopMaintenance()
    this.#closing = true
    await this.damage.checked
    await Promise.all([...this.#groups.values()].map(group => group.close()))
    await Promise.all([...this.#followers].map(follower => follower.stop()))
    await this.#expiring
    await this.#writer.close()
    await this.#writeCatalogue()
    await this.#store.close()
  }

  #commitAll(
    records: Parameters<Transactor['commit']>[0],
    input: InputOffset | undefined,
    check: () => void,
  ): Promise<readonly Position[]> {
    return this.#writer.submit({
      ...(input && this.#offsetWrites(input)),
      records: records.flatMap(record => this.#placed(record.topic, [record])),
      sync: true,
      check,
    })
  }

  #offsetWrites({ group, topic, partition, offset }: InputOffset): Pick<Job, 'writes' | 'undo' | 'written'> {
    const place = { group, topic: this.#topics.get(topic).id, partition }
    return { ...this.#offsets.writes(place, offset), written: () => this.#offsets.set(place, offset) }
  }

  #placed(name: string, records: readonly NewRecord[]) {
    this.#compacted.requireKeys(name, records)
    const topic = this.#topics.get(name)
    const partitioner = getOrCreate(this.#partitioners, topic, () => new Partitioner())
    const partitions = partitioner.assign(records, topic.partitions.length)
    return records.map((record, index) => {
      const log = topic.partitions[partitions[index] ?? -1]
      if (log === undefined) throw new RangeError(`Invariant: no partition was assigned to a record of ${name}`)
      return { log, record }
    })
  }

  #group(name: string, { id, name: topicName, partitions }: EmbeddedTopic): ConsumerGroup {
    const place = (partition: number) => ({ group: name, topic: id, partition })
    const create = () =>
      new ConsumerGroup({
        partitions,
        problems: this.#problems,
        committed: partition => this.#offsets.get(place(partition)),
        commit: (partition, nextOffset, stillOwned) => this.#commit(place(partition), nextOffset, stillOwned),
      })
    return getOrCreate(this.#groups, `${topicName}/${name}`, create)
  }

  async #commit(id: Parameters<Offsets['set']>[0], nextOffset: number, stillOwned: () => boolean): Promise<void> {
    let lost = false
    const check = (): void => {
      lost = !stillOwned()
      if (lost) throw new Fenced('The partition was revoked')
    }
    const written = (): void => this.#offsets.set(id, nextOffset)
    try {
      await this.#writer.submit({ ...this.#offsets.writes(id, nextOffset), sync: false, check, written })
    } catch (error) {
      if (!lost) throw error
    }
  }

  #maintain(): Promise<void> {
    this.#expiring = this.#expiring
      .then(() => expire(this.#topics.all(), this.#now(), this.#store, this.#writer))
      .then(() => this.#compact())
      // The next round retries; appends report that the log cannot be written.
      .catch(() => undefined)
      .then(() => this.#writeCatalogue())
    return this.#expiring
  }

  async #compact(): Promise<void> {
    for (const { name, partitions } of this.#topics.all()) {
      if (!this.#compacted.has(name)) continue
      for (const log of partitions) await this.#compaction.compact(log)
    }
  }

  /** The catalogue only helps to find losses: appends do not fail because of it. */
  async #writeCatalogue(): Promise<void> {
    await writeCatalogue(this.#path, this.#topics.catalogue()).catch(() => undefined)
  }

  async #check(): Promise<void> {
    for (const log of this.#topics.partitions()) {
      if (this.#closing) return
      // Readers of the partition repeat a failed read and also report losses.
      await log.verify(() => this.#closing).catch(() => undefined)
    }
  }
}
