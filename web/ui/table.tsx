import type { ComponentChildren } from 'preact'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Class of its cells. Cells of `actions` show no title on a narrow screen. */
  readonly class?: 'when' | 'wide' | 'figure-cell' | 'actions'
  /** Its cells are the headers of the rows; by default those of the first column. */
  readonly isHeader?: true
  readonly sort?: {
    readonly order: 'ascending' | 'descending' | 'none'
    readonly label: string
    readonly onClick: () => void
  }
}

const signs = { ascending: ' ▲', descending: ' ▼', none: '' } as const

interface TableProps<Row> {
  /** Classes beside `table`. */
  readonly look?: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

/** A table; on a narrow screen, each cell shows the title of its column. */
export function Table<Row>({ look = '', columns, rows, keyOf }: TableProps<Row>) {
  const header = columns.find(({ isHeader }) => isHeader) ?? columns[0]
  return (
    <table class={`table ${look}`}>
      <thead>
        <tr>
          {columns.map(({ title, sort }) => (
            <th key={title} scope="col" aria-sort={sort?.order}>
              {sort ? (
                <button type="button" class="sort-button" title={sort.label} onClick={sort.onClick}>
                  {title}
                  <span aria-hidden="true">{signs[sort.order]}</span>
                </button>
              ) : (
                title
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)}>
            {columns.map(column =>
              column === header ? (
                <th key={column.title} scope="row" class={column.class}>
                  {column.cell(row)}
                </th>
              ) : (
                <td
                  key={column.title}
                  class={column.class}
                  data-label={column.class === 'actions' ? undefined : column.title}
                >
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
