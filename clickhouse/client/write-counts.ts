/**
 * Counts starts and ends of writes by table. If two counts are equal, no write started or ended in between. A caller
 * therefore reads a different count after its write was acknowledged than before.
 */
export class WriteCounts {
  readonly #byTable = new Map<string, number>()
  #toAny = 0

  /**
   * Runs a write to a table (null: to any table) and counts its start and end. A failed write is counted as well,
   * because it may have written rows.
   */
  async around<Result>(table: string | null, write: () => Promise<Result>): Promise<Result> {
    this.#count(table)
    try {
      return await write()
    } finally {
      this.#count(table)
    }
  }

  /** Returns the sum of the counts of these tables. */
  of(tables: readonly string[]): number {
    return tables.reduce((sum, table) => sum + (this.#byTable.get(table) ?? 0), this.#toAny)
  }

  #count(table: string | null): void {
    if (table === null) this.#toAny++
    else this.#byTable.set(table, (this.#byTable.get(table) ?? 0) + 1)
  }
}
