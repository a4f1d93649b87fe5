import { expect } from 'chai'
import { storedText } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { allTables } from '../../../clickhouse/tables/all-tables.ts'
import { column } from '../../../clickhouse/tables/table.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('registry of tables', () => {
  const store = useFreshDatabase()

  it('The registry has every table of the migrations, with its columns and types in their order', async () => {
    const stored = await rows(
      store(),
      sql`SELECT table, name, type FROM system.columns
        WHERE database = currentDatabase() AND default_kind != 'ALIAS'
          AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View')
          AND table != 'applied_migrations' AND NOT startsWith(table, '.')
        ORDER BY table, position`,
      { table: storedText, name: storedText, type: storedText },
    )
    const found: Record<string, [string, string][]> = {}
    for (const { table, name, type } of stored) (found[table] ??= []).push([name, type])
    const registered = Object.fromEntries(allTables.map(({ name, columns }) => [name, Object.entries(columns)]))
    expect(found).to.deep.equal(registered)
  })

  it('`column` returns the name of a column of the table', () => {
    expect(column(hours, 'facts_cell')).to.deep.equal({ parts: ['facts_cell'] })
  })
})
