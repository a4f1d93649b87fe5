/** The answer of the store: one array per column. Sums are numbers, or null over nothing. */
export type Columns = readonly (readonly ColumnValue[])[]
export type ColumnValue = number | null | readonly number[]
