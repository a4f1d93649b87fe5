import type { JsonWriter } from './json-writer.ts'

/**
 * A list on its way to a caller, written item by item and anew each time, as there may be hundreds of thousands. `Item` says what the
 * items parse to.
 */
export class JsonList<Item = unknown> {
  /** Writes the items with commas in between. Wherever it pauses, what is written so far may be sent. */
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never there: carries the type alone. */
  declare readonly item?: Item

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}
