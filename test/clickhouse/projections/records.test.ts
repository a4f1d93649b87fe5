import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createRecordsProjection } from '../../../clickhouse/projections/records.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { useFreshDatabase } from '../../support/database.ts'

const companyId = 'c1'
const reason = (id: number, name: string, company = companyId) => ({
  kind: 'downtimeReason' as const,
  id: String(id),
  record: { id, companyId: company, name, color: '#808080', planned: false, hidden: false },
})

function entry(commandOffset: number, changes: readonly Change[]): RecordEntry {
  const command = { id: randomUUID(), deadlineMs: 0, nowMs: 0, companyId, actor: 'test', name: 'test' }
  return { command, commandOffset, outcome: { ok: true, result: null }, changes }
}

describe('projection of the records', () => {
  const store = useFreshDatabase()

  it('A rebuild stores all records of its company again, older than its own entry, in inserts of at most 50,000 rows', async () => {
    const inserts: number[] = []
    const counted: Store = {
      ...store(),
      insert: async (table, columns, lines, ...rest) => {
        inserts.push(String(lines).split('\n').length - 1)
        await store().insert(table, columns, lines, ...rest)
      },
    }
    const projection = createRecordsProjection(counted)
    const [before, after] = [reason(1, 'Before'), reason(1, 'After')]
    const rebuild = { id: 'r1', companyId, requestedAt: '2026-03-02T08:00:00.000Z', doneHours: {}, finishedAt: null }
    const changes: readonly Change[] = [
      { kind: 'rebuild', id: 'r1', before: null, after: rebuild },
      { kind: 'downtimeReason', id: '1', before: before.record, after: after.record },
    ]
    const others = Array.from({ length: 50_000 }, (_, i) => reason(i + 2, 'Other'))
    const records = [after, reason(99_999, 'Foreign', 'c2'), ...others]
    await projection.project([entry(3, [{ ...before, before: null, after: before.record }])], { allRecords: () => [] })
    await projection.project([entry(20, changes)], { allRecords: () => records })
    expect(inserts).to.deep.equal([2, 50_000, 1, 3])
    expect(await projection.readProjectedOffset()).to.equal(20)
    const offsets = await store().query(
      sql`SELECT company, toUInt32(command_offset) AS offset, toUInt32(count()) AS rows FROM records FINAL WHERE kind != 'projected' GROUP BY ALL ORDER BY offset`,
    )
    expect(offsets).to.deep.equal([
      { company: companyId, offset: 19, rows: 50_000 },
      { company: companyId, offset: 20, rows: 2 },
    ])
    const names = await store().query(
      sql`SELECT JSONExtractString(json, 'name') AS name FROM records FINAL WHERE id = '1'`,
    )
    expect(names).to.deep.equal([{ name: 'After' }])
  })
})
