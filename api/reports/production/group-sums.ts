import { type Combine, identity, sums, type SumName } from '../../../schema/sums.ts'
import type { Group } from './group-tree.ts'

/** The sums of all groups, one after the other in one array, each in the order of the plan's. */
export class GroupSums {
  readonly #width: number
  readonly #nothing: readonly number[]
  // Most sums just add up: the few extremes have lists of their own, so that the loop over all rows decides nothing.
  readonly #added: readonly number[]
  readonly #lowest: readonly number[]
  readonly #highest: readonly number[]
  #values = new Float64Array(1024)
  #length = 0

  constructor(names: readonly SumName[]) {
    const indexesOf = (how: Combine) => names.flatMap((name, index) => (sums[name] === how ? [index] : []))
    this.#width = names.length
    this.#nothing = names.map(name => identity[sums[name]])
    this.#added = indexesOf('add')
    this.#lowest = indexesOf('min')
    this.#highest = indexesOf('max')
  }

  /** A group's sums begin at its number times how many they are. */
  get values(): Float64Array {
    return this.#values
  }

  /** Of all groups up to this number there are sums now: those of nothing, at first. */
  reach(group: Group): void {
    while (this.#length <= group * this.#width) {
      if (this.#length + this.#width > this.#values.length) this.#grow()
      this.#values.set(this.#nothing, this.#length)
      this.#length += this.#width
    }
  }

  addRow(group: Group, columns: readonly Float64Array[], row: number): void {
    const at = group * this.#width
    const into = this.#values
    for (const s of this.#added) into[at + s] = (into[at + s] ?? 0) + (columns[s]?.[row] ?? 0)
    for (const s of this.#lowest) into[at + s] = Math.min(into[at + s] ?? 0, columns[s]?.[row] ?? 0)
    for (const s of this.#highest) into[at + s] = Math.max(into[at + s] ?? 0, columns[s]?.[row] ?? 0)
  }

  addGroup(group: Group, other: Group): void {
    const at = group * this.#width
    const from = other * this.#width
    const into = this.#values
    for (const s of this.#added) into[at + s] = (into[at + s] ?? 0) + (into[from + s] ?? 0)
    for (const s of this.#lowest) into[at + s] = Math.min(into[at + s] ?? 0, into[from + s] ?? 0)
    for (const s of this.#highest) into[at + s] = Math.max(into[at + s] ?? 0, into[from + s] ?? 0)
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#values.length)
    larger.set(this.#values)
    this.#values = larger
  }
}
