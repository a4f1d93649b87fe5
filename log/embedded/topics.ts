import type { TopicSpec } from '../log.ts'
import { decodeOffset, startKey, topicKey, topicRange } from './keys.ts'
import { PartitionLog } from './partition.ts'
import type { Store, Write } from './store.ts'

/** A topic as stored. */
interface TopicRow {
  readonly id: number
  readonly partitions: number
  readonly retentionMs: number | null
}

export interface Topic {
  readonly name: string
  readonly id: number
  readonly retentionMs: number | null
  readonly partitions: readonly PartitionLog[]
}

/** The topics of a log, in memory. */
export class Topics {
  readonly #store: Store
  readonly #byName = new Map<string, Topic>()

  private constructor(store: Store) {
    this.#store = store
  }

  static async open(store: Store): Promise<Topics> {
    const topics = new Topics(store)
    for await (const [key, value] of store.entries(topicRange)) {
      const row: TopicRow = JSON.parse(value.toString())
      await topics.#add(key.toString('utf8', 1), row)
    }
    return topics
  }

  /** Throws for a topic that does not exist. */
  get(name: string): Topic {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw new Error(`There is no topic ${name}`)
    return topic
  }

  all(): readonly Topic[] {
    return [...this.#byName.values()]
  }

  /** The writes that create the missing ones; call `created` when they are stored. */
  plan(specs: readonly TopicSpec[]): { readonly writes: readonly Write[]; readonly created: () => Promise<void> } {
    const missing = specs.filter(({ name }) => !this.#byName.has(name))
    const firstId = Math.max(0, ...this.all().map(({ id }) => id)) + 1
    const rows = missing.map(({ name, partitions, retentionMs }, index): readonly [string, TopicRow] => {
      if (!Number.isInteger(partitions) || partitions < 1) throw new RangeError(`${name} needs at least one partition`)
      return [name, { id: firstId + index, partitions, retentionMs }]
    })
    return {
      writes: rows.map(([name, row]) => ({ key: topicKey(name), value: Buffer.from(JSON.stringify(row)) })),
      created: async () => {
        for (const [name, row] of rows) await this.#add(name, row)
      },
    }
  }

  async #add(name: string, { id, partitions, retentionMs }: TopicRow): Promise<void> {
    const logs: PartitionLog[] = []
    for (let partition = 0; partition < partitions; partition++) {
      const start = await readStart(this.#store, id, partition)
      logs.push(await PartitionLog.open(this.#store, name, id, partition, start))
    }
    this.#byName.set(name, { name, id, retentionMs, partitions: logs })
  }
}

async function readStart(store: Store, topic: number, partition: number): Promise<number> {
  const value = await store.get(startKey(topic, partition))
  return value === undefined ? 0 : decodeOffset(value)
}
