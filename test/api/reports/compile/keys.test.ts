import { expect } from 'chai'
import { lookUpRuns } from '../../../../api/reports/compile/job-run-lookup.ts'
import { groupedBy } from '../../../../api/reports/compile/select.ts'
import { join, sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { days } from '../../../../clickhouse/tables/documents.ts'
import { asCompanyRef } from '../../../../schema/refs.ts'
import { useFreshDatabase } from '../../../support/database.ts'

describe('groups of a report', () => {
  const store = useFreshDatabase()
  const companyRef = asCompanyRef(1)
  // A day without a stop: ClickHouse folds constants only if there are rows to read.
  before(() => store().command(sql`INSERT INTO days (company, machine) VALUES (1, 1)`))

  for (const lastRun of [1, Infinity])
    it(`A report without rows has no groups, even by the operation of missing runs (refs up to ${lastRun})`, async () => {
      const lookups = lookUpRuns(['operation'], { companyRef, range: { startMs: 0, endMs: 1 }, lastRun })
      const rows = await store().columns(sql`WITH ${join(lookups)} SELECT run_operation AS k_operation, sum(ms) AS ms
        FROM (SELECT downtime_run AS run, downtime_duration_ms AS ms
          ${from(days, companyRef, { final: true, unfold: [sql`downtime_run`, sql`downtime_duration_ms`] })})
        ${groupedBy([sql`k_operation`])}`)
      expect(rows).to.deep.equal([[], []])
    })
})
