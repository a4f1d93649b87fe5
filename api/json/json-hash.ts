import type { JsonWriter } from './json-writer.ts'

/** An object on its way to a caller that is written as a list is (`JsonList`): its properties, with commas in between. `Whole` is what it parses to. */
export class JsonHash<Whole = unknown> {
  readonly write: (into: JsonWriter) => Iterable<void>
  /** Never there: carries the type alone. */
  declare readonly whole?: Whole

  constructor(write: (into: JsonWriter) => Iterable<void>) {
    this.write = write
  }
}
