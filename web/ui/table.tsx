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
  /** Title above consecutive rows with the same one; null: none. */
  readonly sectionOf?: ((row: Row) => string | null) | undefined
}

/** A table; on a narrow screen, each cell shows the title of its column. */
export function Table<Row>({ look = '', columns, rows, keyOf, sectionOf = () => null }: TableProps<Row>) {
  const header = columns.find(({ isHeader }) => isHeader) ?? columns[0]
  return (
    <table class={`table ${look}`}>
      <thead>
        <tr>
          {columns.map(({ title, class: kind, sort }) => (
            <th key={title} scope="col" class={kind === 'figure-cell' ? kind : undefined} aria-sort={sort?.order}>
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
      {inSections(rows, sectionOf).map(section => (
        <tbody key={section.title ?? ''}>
          {section.title !== null && (
            <tr class="table-section">
              <th scope="rowgroup" colSpan={columns.length}>
                {section.title}
              </th>
            </tr>
          )}
          {section.rows.map(row => (
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
      ))}
    </table>
  )
}

interface Section<Row> {
  readonly title: string | null
  readonly rows: Row[]
}

/** Returns the sections of rows: consecutive rows with the same title. */
function inSections<Row>(rows: readonly Row[], sectionOf: (row: Row) => string | null): readonly Section<Row>[] {
  const sections: Section<Row>[] = []
  for (const row of rows) {
    const title = sectionOf(row)
    const last = sections.at(-1)
    if (last?.title === title) last.rows.push(row)
    else sections.push({ title, rows: [row] })
  }
  return sections
}
