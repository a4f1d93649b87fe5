/** What a group of one grouping stands for; the same object for all groups of one entity. */
export interface Member {
  readonly id: string
  /** As in the answer's `entities`. */
  readonly entity: object
  /** How flat rows name it; null id: it has no such dimension. */
  readonly flat: Readonly<Record<string, string | null>>
  /** The same without the names of its columns. */
  readonly cells: readonly (string | null)[]
  /** What it is ordered by: one text after the other, then its id. */
  readonly order: readonly string[]
  /** Its place among them, once all are known. */
  position: number
}
