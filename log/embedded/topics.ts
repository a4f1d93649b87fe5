import type { TopicSpec } from '../log.ts'
import { decodeOffset, startKey, topicKey, topicRange } from './keys.ts'
import { PartitionLog } from './partition.ts'
import type { LevelDbStore, Write } from './store.ts'

/** Says what of a topic is kept. */
export type Retention = Pick<TopicSpec, 'retentionMs' | 'retentionBytes'>

/** A topic as stored. */
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

/** Writes that belong together. Call `written` when they are stored. */
interface Change {
  readonly writes: readonly Write[]
  /** Restores the state before. */
  readonly undo: readonly Write[]
  readonly written: () => Promise<void>
}

/** The topics of a log, in memory. */
export class Topics {
  readonly #store: LevelDbStore
  readonly #byName = new Map<string, EmbeddedTopic>()

  private constructor(store: LevelDbStore) {
    this.#store = store
  }

  static async open(store: LevelDbStore): Promise<Topics> {
    const topics = new Topics(store)
    for await (const [key, value] of store.entries(topicRange)) {
      const row: TopicRow = JSON.parse(value.toString())
      await topics.#set(key.toString('utf8', 1), row)
    }
    return topics
  }

  /** Throws for a topic that does not exist. */
  get(name: string): EmbeddedTopic {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new Error(`There is no topic ${name}`)
    return topic
  }

  all(): readonly EmbeddedTopic[] {
    return [...this.#byName.values()]
  }

  /** The writes that create the missing topics and set the retention of the others. */
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
    const logs: PartitionLog[] = []
    for (let partition = 0; partition < partitions; partition++) {
      const start = await readStart(this.#store, id, partition)
      logs.push(await PartitionLog.open(this.#store, name, id, partition, start))
    }
    return logs
  }
}

function rowOf(topic: EmbeddedTopic | undefined): TopicRow | null {
  return topic === undefined ? null : { id: topic.id, partitions: topic.partitions.length, ...topic.retention }
}

function rowWrite(name: string, row: TopicRow | null): Write {
  return { key: topicKey(name), value: row === null ? null : Buffer.from(JSON.stringify(row)) }
}

async function readStart(store: LevelDbStore, topic: number, partition: number): Promise<number> {
  const value = await store.get(startKey(topic, partition))
  return value === undefined ? 0 : decodeOffset(value)
}
