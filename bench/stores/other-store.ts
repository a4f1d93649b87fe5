import type { FactTable } from './facts.ts'

/** A store that plants would pick instead, with the month's facts in tables. */
export interface OtherStore {
  readonly name: string
  /** Loads the rows of a table from a file of CSV. */
  load(table: FactTable, path: string): Promise<void>
  /** Makes indexes and statistics, after all rows are there. */
  settle(): Promise<void>
  /** All rows of a SELECT of numbers. */
  query(select: string): Promise<readonly (readonly number[])[]>
  close(): Promise<void>
}
