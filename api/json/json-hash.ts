import type { JsonWriter } from './json-writer.ts'

/**
 * An object that is serialized property by property, as a `JsonList` is item by item. `Whole`: the type of the parsed
 * object.
 */
export class JsonHash<Whole = unknown> {
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never set: carries the type. */
  declare readonly whole?: Whole

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}
