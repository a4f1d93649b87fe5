import { type Addition, create, insert } from '../../support/addition.ts'

const number = '999'

/** A table of the last use of each tool. */
export const table: Addition = {
  section: 'Add a table',
  names: { number, table: 'tool-uses', subject: 'records', folder: 'projections' },
  changes: [
    create(
      `clickhouse/migrations/${number}-tool-uses.sql`,
      `-- The last use of each tool, for the screen of tools.
CREATE TABLE IF NOT EXISTS tool_uses (
  company  UInt32,
  tool     UInt32,
  used_at  DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(used_at)
ORDER BY (company, tool)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
`,
    ),
    insert(
      'clickhouse/tables/records.ts',
      'export const keyUses =',
      `export const toolUses = table('tool_uses', { company: 'UInt32', tool: 'UInt32', used_at: "DateTime64(3, 'UTC')" })
`,
    ),
    create(
      'clickhouse/projections/tool-uses.ts',
      `import type { CompanyRef } from '../../schema/refs.ts'
import { narrow, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { toolUses } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

/** A use of a tool; \`atMs\` is UTC ms. */
export interface ToolUse {
  readonly company: CompanyRef
  readonly tool: number
  readonly atMs: number
}

const writer: RowWriter<ToolUse> = rowWriter(toolUses, {
  company: ({ company }) => company,
  tool: ({ tool }) => tool,
  used_at: ({ atMs }) => new Date(atMs).toISOString().slice(0, -1),
})

/** Writes uses of tools. Rejects with a \`StoreError\`. */
export async function writeToolUses(store: Store, uses: readonly ToolUse[]): Promise<void> {
  await insertRows(store, writer, uses)
}

/** Returns the last use of each tool of a company, UTC ms. Rejects with a \`StoreError\`. */
export async function readToolUses(store: Store, company: CompanyRef): Promise<ReadonlyMap<number, number>> {
  const found = await rows(
    store,
    sql\`SELECT tool, toUnixTimestamp64Milli(max(used_at)) AS ms \${from(toolUses, company)} GROUP BY tool\`,
    { tool: narrow, ms: wide },
  )
  return new Map(found.map(({ tool, ms }) => [tool, ms]))
}
`,
    ),
    create(
      'test/clickhouse/projections/tool-uses.test.ts',
      `import { expect } from 'chai'
import { readToolUses, writeToolUses } from '../../../clickhouse/projections/tool-uses.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('uses of tools', () => {
  const store = useFreshDatabase()

  it('The last use of each tool of the company is read', async () => {
    const [mine, other] = [asCompanyRef(1), asCompanyRef(2)]
    await writeToolUses(store(), [
      { company: mine, tool: 7, atMs: 2000 },
      { company: mine, tool: 7, atMs: 1000 },
      { company: other, tool: 8, atMs: 3000 },
    ])
    expect(await readToolUses(store(), mine)).to.deep.equal(new Map([[7, 2000]]))
  })
})
`,
    ),
  ],
}
