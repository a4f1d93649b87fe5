/** A table of a report for an export: rows are iterated, so that they need not be in memory at the same time. */
export interface FileTable {
  readonly columns: readonly FileColumn[]
  /** Cells in the order of the columns. */
  readonly rows: Iterable<FileTableRow>
}

export interface FileColumn {
  /** As in a flattened row of the report. */
  readonly name: string
  /** Title for localized files. */
  readonly title: string
  readonly kind: ColumnKind
}

/**
 * Kind of a column's cells: `instant` is an ISO text or UTC ms, `date` a shop date as an ISO instant at midnight, `ms`
 * a duration, `msPerPart` the duration of a part, `ratio` a number of which 1 is 100 %, `rate` a number per hour,
 * `integer` a count or an id without a fraction.
 */
export type ColumnKind = 'text' | 'date' | 'instant' | 'number' | 'integer' | 'ms' | 'msPerPart' | 'ratio' | 'rate'

/** A table whose rows are in the store, which writes the file itself. */
export interface StoredTable {
  readonly columns: readonly FileColumn[]
  /** Writes a new file. Rejects if the store fails; an incomplete file may exist then. */
  write(to: FileTarget): Promise<void>
}

export interface FileTarget {
  readonly path: string
  readonly format: FileFormat
  readonly signal?: AbortSignal
}

export type FileTableRow = readonly Cell[]
export type Cell = string | number | null

/** The reports that can be exported, as in the URLs of their files. */
export const fileReports = ['production', 'downtime', 'quality', 'alarm', 'alarm/instances'] as const
export type FileReport = (typeof fileReports)[number]

export type FileFormat = 'csv' | 'parquet'
