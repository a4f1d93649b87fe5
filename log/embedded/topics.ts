import { crc32 } from 'node:zlib'
import { LogUnavailable, type TopicSpec } from '../log.ts'
import type { CatalogueEntry } from './catalogue.ts'
import { chunksFromTopic, decodeOffset, startKey, topicKey, topicOfChunkKey, topicRange } from './keys.ts'
import type { PartitionEnds } from './partition-ends.ts'
import { PartitionLog, type PartitionOptions } from './partition.ts'
import { isIntact } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'

export type Retention = Pick<TopicSpec, 'retentionMs' | 'retentionBytes'>

interface TopicRow extends Retention {
  readonly id: number
  readonly partitions: number
}

export interface EmbeddedTopic {
  readonly name: string
  readonly id: number
  readonly retention: Retention
  readonly partitions: readonly PartitionLog[]
}

/** Writes of one change. The caller calls `written` when they are stored. */
interface Change {
  readonly writes: readonly Write[]
  readonly undo: readonly Write[]
  readonly written: () => Promise<void>
}

/** Offsets stored beside the records, by which losses are found. */
export interface KnownOffsets {
  readonly catalogue: readonly CatalogueEntry[]
  readonly ends: PartitionEnds
  readonly onGap: PartitionOptions['onGap']
}

/** The topics of a log, in memory. */
export class Topics {
  readonly #store: LevelDbStore
  readonly #known: KnownOffsets
  readonly #byName = new Map<string, EmbeddedTopic>()

  private constructor(store: LevelDbStore, known: KnownOffsets) {
    this.#store = store
    this.#known = known
  }

  /** Opens the topics. Restores damaged rows from the catalogue; rejects if the catalogue lacks them, too. */
  static async open(store: LevelDbStore, known: KnownOffsets): Promise<Topics> {
    const topics = new Topics(store, known)
    for await (const [key, value] of store.entries(topicRange)) {
      const name = key.toString('utf8', 1)
      const row = parseRow(name, value)
      if (row !== null) await topics.#set(name, row)
    }
    const lost = known.catalogue.filter(({ name }) => !topics.#byName.has(name))
    for (const { name, partitions, ...row } of lost) await topics.#set(name, { ...row, partitions: partitions.length })
    const writes = lost.map(({ name }) => rowWrite(name, rowOf(topics.#byName.get(name))))
    if (writes.length > 0) await store.write(writes, [], true)
    await topics.#assertTopicsNamed()
    return topics
  }

  /** Rejects if a topic with records has no name, because a new topic would get its id. */
  async #assertTopicsNamed(): Promise<void> {
    const ids = new Set(this.all().map(({ id }) => id))
    for (let from = 0; ;) {
      const id = await firstTopicWithChunks(this.#store, from)
      if (id === null) return
      if (!ids.has(id)) {
        const cause = new Error(`Corruption: topic ${id} has records, but its name is lost`)
        throw new LogUnavailable('The log is damaged', { cause })
      }
      from = id + 1
    }
  }

  /** Throws for an unknown topic. */
  get(name: string): EmbeddedTopic {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new Error(`Unknown topic ${name}`)
    return topic
  }

  all(): readonly EmbeddedTopic[] {
    return [...this.#byName.values()]
  }

  *partitions(): Generator<PartitionLog> {
    for (const { partitions } of this.#byName.values()) yield* partitions
  }

  /** The topics with their present offsets. */
  catalogue(): readonly CatalogueEntry[] {
    return this.all().map(({ name, id, retention: { retentionMs, retentionBytes }, partitions }) => ({
      name,
      id,
      retentionMs,
      retentionBytes,
      partitions: partitions.map(({ start, end }) => ({ start, end })),
    }))
  }

  /** Plans the writes that create missing topics and update the retention of existing ones. */
  plan(specs: readonly TopicSpec[]): Change {
    const rows = [...this.#missing(specs), ...this.#changed(specs)]
    return {
      writes: rows.map(([name, row]) => rowWrite(name, row)),
      undo: rows.map(([name]) => rowWrite(name, rowOf(this.#byName.get(name)))),
      written: async () => {
        for (const [name, row] of rows) await this.#set(name, row)
      },
    }
  }

  #missing(specs: readonly TopicSpec[]): readonly (readonly [string, TopicRow])[] {
    const firstId = Math.max(0, ...this.all().map(({ id }) => id)) + 1
    return specs
      .filter(({ name }) => !this.#byName.has(name))
      .map(({ name, partitions, ...retention }, index) => {
        if (!Number.isInteger(partitions) || partitions < 1) {
          throw new RangeError(`${name} needs at least one partition`)
        }
        return [name, { id: firstId + index, partitions, ...retention }]
      })
  }

  #changed(specs: readonly TopicSpec[]): readonly (readonly [string, TopicRow])[] {
    return specs.flatMap(({ name, retentionMs, retentionBytes }) => {
      const row = rowOf(this.#byName.get(name))
      if (row === null || (row.retentionMs === retentionMs && row.retentionBytes === retentionBytes)) return []
      return [[name, { ...row, retentionMs, retentionBytes }]]
    })
  }

  async #set(name: string, { id, partitions, retentionMs, retentionBytes }: TopicRow): Promise<void> {
    const retention = { retentionMs, retentionBytes }
    const known = this.#byName.get(name)
    this.#byName.set(name, {
      name,
      id,
      retention,
      partitions: known?.partitions ?? (await this.#open(name, id, partitions)),
    })
  }

  async #open(name: string, id: number, partitions: number): Promise<readonly PartitionLog[]> {
    const { catalogue, ends, onGap } = this.#known
    const catalogued = catalogue.find(topic => topic.id === id)?.partitions ?? []
    const logs: PartitionLog[] = []
    for (let partition = 0; partition < partitions; partition++) {
      const start = (await readStart(this.#store, id, partition)) ?? catalogued[partition]?.start ?? 0
      const knownEnd = Math.max(ends.get(id, partition), catalogued[partition]?.end ?? 0)
      logs.push(await PartitionLog.open(this.#store, { topic: name, topicId: id, partition, start, knownEnd, onGap }))
    }
    return logs
  }
}

async function firstTopicWithChunks(store: LevelDbStore, from: number): Promise<number | null> {
  for await (const [key, bytes] of store.entries(chunksFromTopic(from))) {
    if (isIntact(key, bytes)) return topicOfChunkKey(key)
  }
  return null
}

function rowOf(topic: EmbeddedTopic | undefined): TopicRow | null {
  return topic === undefined ? null : { id: topic.id, partitions: topic.partitions.length, ...topic.retention }
}

function rowWrite(name: string, row: TopicRow | null): Write {
  const value = row === null ? null : Buffer.from(JSON.stringify({ ...row, crc: crcOf(name, row) }))
  return { key: topicKey(name), value }
}

/** Returns null for a damaged row. Rows of versions before the CRC was added lack it. */
function parseRow(name: string, value: Buffer): TopicRow | null {
  try {
    const { crc, ...row }: TopicRow & { crc?: number } = JSON.parse(value.toString())
    return crc === undefined || crc === crcOf(name, row) ? row : null
  } catch {
    return null
  }
}

function crcOf(name: string, { id, partitions, retentionMs, retentionBytes }: TopicRow): number {
  return crc32(JSON.stringify([name, id, partitions, retentionMs, retentionBytes ?? null]))
}

async function readStart(store: LevelDbStore, topic: number, partition: number): Promise<number | null> {
  const value = await store.get(startKey(topic, partition))
  return value === undefined ? null : decodeOffset(value)
}
