/**
 * Counts writes by table, when they begin and when they end: where two counts are equal, no write of between has ended, and none has
 * begun. So a caller who knows that his write is acknowledged sees another count than before it.
 */
export class WriteCounts {
  readonly #byTable = new Map<string, number>()
  #toAny = 0

  /** Runs a write; a table of null: any table. Counts its end also if it fails, because rows may have been written. */
  async around<Result>(table: string | null, write: () => Promise<Result>): Promise<Result> {
    this.#count(table)
    try {
      return await write()
    } finally {
      this.#count(table)
    }
  }

  /** Counts of all these tables together. */
  of(tables: readonly string[]): number {
    return tables.reduce((sum, table) => sum + (this.#byTable.get(table) ?? 0), this.#toAny)
  }

  #count(table: string | null): void {
    if (table === null) this.#toAny++
    else this.#byTable.set(table, (this.#byTable.get(table) ?? 0) + 1)
  }
}
