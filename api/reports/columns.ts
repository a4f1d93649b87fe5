/** The answer of the store: one array per column. Measures are numbers, or null over nothing. */
export type Columns = readonly (readonly ColumnValue[])[]
export type ColumnValue = number | null | readonly number[]
