import type { FactTable } from './facts.ts'

/** Another store that a plant could use, with the facts of the month in tables. */
export interface OtherStore {
  readonly name: string
  /** Loads the rows of a table from a CSV file. */
  load(table: FactTable, path: string): Promise<void>
  /** Creates indexes and statistics after all rows are loaded. */
  settle(): Promise<void>
  /** All rows of a SELECT of numbers. */
  query(select: string): Promise<readonly (readonly number[])[]>
  close(): Promise<void>
}
