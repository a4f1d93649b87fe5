/** A table that a report hands over to be kept as a file: rows are asked for one by one, so that none need to be held. */
export interface FileTable {
  readonly columns: readonly FileColumn[]
  /** Cells in the order of the columns. */
  readonly rows: Iterable<FileTableRow>
}

export interface FileColumn {
  /** As in a flattened row of the report. */
  readonly name: string
  /** For people. */
  readonly title: string
  readonly kind: ColumnKind
}

/**
 * Kind of a column's cells: `instant` is an ISO text or UTC ms, `date` a shop date as an ISO instant at midnight, `ms`
 * a duration, `msPerPart` the duration of a part, `ratio` a number of which 1 is 100 %, `rate` a number per hour,
 * `integer` a count or an id without a fraction.
 */
export type ColumnKind = 'text' | 'date' | 'instant' | 'number' | 'integer' | 'ms' | 'msPerPart' | 'ratio' | 'rate'

/** A table whose rows the store has: it writes them itself. */
export interface StoredTable {
  readonly columns: readonly FileColumn[]
  /** Writes a new file. Rejects where the store fails; a part of the file may be there then. */
  write(to: FileTarget): Promise<void>
}

export interface FileTarget {
  readonly path: string
  readonly format: FileFormat
  readonly signal?: AbortSignal
}

export type FileTableRow = readonly Cell[]
export type Cell = string | number | null

/** The reports that can be kept, as the addresses of their files name them. */
export const fileReports = ['production', 'downtime', 'quality', 'alarm', 'alarm/instances'] as const
export type FileReport = (typeof fileReports)[number]

export const fileFormats = ['csv', 'parquet'] as const
export type FileFormat = (typeof fileFormats)[number]
