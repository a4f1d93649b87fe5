import type { NewRecord, TopicSpec } from './log.ts'

/** Names of the compacted topics that this process has created or found. */
export class CompactedTopics {
  readonly #names = new Set<string>()

  add(specs: readonly TopicSpec[]): void {
    for (const { name, isCompacted } of specs) if (isCompacted === true) this.#names.add(name)
  }

  has(topic: string): boolean {
    return this.#names.has(topic)
  }

  /** Throws a `RangeError` if a record of a compacted topic has no key. */
  requireKeys(topic: string, records: readonly NewRecord[]): void {
    if (this.has(topic) && records.some(({ key }) => key === null))
      throw new RangeError(`Records of the compacted topic ${topic} need a key`)
  }
}
