/**
 * A list on its way to a caller: its items as JSON texts, made one by one and anew each time, as there may be hundreds of
 * thousands. `Item` says what the texts parse to.
 */
export class JsonTexts<Item = unknown> {
  readonly make: () => Iterable<string>
  /** Never there: carries the type alone. */
  declare readonly item?: Item

  constructor(make: () => Iterable<string>) {
    this.make = make
  }
}
