import type { JsonWriter } from './json-writer.ts'

/**
 * A list that is serialized item by item for each response, because it may have hundreds of thousands of items. `Item`:
 * the type of a parsed item.
 */
export class JsonList<Item = unknown> {
  /** Writes the items with commas in between. At each pause, the text so far may be sent. */
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never set: carries the type. */
  declare readonly item?: Item

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}
