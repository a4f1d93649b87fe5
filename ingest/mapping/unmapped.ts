/** Limit of the text of an example, UTF-16 units. */
const maxExampleLength = 200

/** Values that gave no sample: their number and first example by reason. */
export class Unmapped {
  #total = 0
  readonly #byReason = new Map<string, { count: number; readonly example: string }>()

  get total(): number {
    return this.#total
  }

  /** Numbers and examples by reason; the reasons are those of the rules, so there are few. */
  get byReason(): ReadonlyMap<string, { readonly count: number; readonly example: string }> {
    return this.#byReason
  }

  /** `example` returns the text of the value; it is called for the first one only. */
  add(reason: string, example: () => string, count = 1): void {
    this.#total += count
    const known = this.#byReason.get(reason)
    if (known !== undefined) known.count += count
    else this.#byReason.set(reason, { count, example: example().slice(0, maxExampleLength) })
  }
}
