import { expect } from 'chai'
import { createJobRunsProjection } from '../../../service/roles/job-runs-projection.ts'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { TestPlant } from '../../api/reports/plant-support.ts'
import { emptyDatabase, storeKinds } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { migrate } from '../../../clickhouse/migrations/migrate.ts'

for (const kind of storeKinds) {
  describe(`job runs on ${kind}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await emptyDatabase(kind)
      await migrate(database.store)
    })
    after(() => database.drop())

    /** Returns by run: [ideal part time in ms, multiplier, own OEE warning, end in ms]. */
    async function stored(plant: TestPlant): Promise<Readonly<Record<string, unknown[]>>> {
      await plant.project(database.store)
      const rows = await database.store.query<Record<string, unknown>>(sql`
        SELECT run, ideal_part_ms, multiplier, oee_warning, end_ms FROM job_runs FINAL
        WHERE company = ${uint32(plant.company.ref)} ORDER BY run`)
      return Object.fromEntries(
        rows.map(row => [
          String(row['run']),
          [row['ideal_part_ms'], row['multiplier'], row['oee_warning'], Number(row['end_ms'])],
        ]),
      )
    }

    const endMs = Date.parse('2026-03-02T10:00:00.000Z')
    const open = Number.MAX_SAFE_INTEGER

    it('A stored job run changes with the run, its operation and the groups of its machine', async () => {
      const plant = new TestPlant()
      const ofGroup = {
        machineId: null,
        machineGroupId: 'mills',
        expectedSetupTime: null,
        idealPartTime: 7000,
        expectedPartTime: null,
        partCountMultiplier: 2,
      }
      plant.operation(1, { idealPartTime: 5000, workCenters: [ofGroup] })
      plant.operation(2, { thresholds: { oeeWarning: 0 } })
      const machine = plant.machine(1)
      plant.run(1, machine, { jobOperationId: 'operation-1' })
      plant.run(2, machine, { jobOperationId: 'operation-2' })
      expect(await stored(plant)).to.deep.equal({ 1: [5000, 1, null, open], 2: [null, 1, 0, open] })

      plant.run(1, machine, { jobOperationId: 'operation-1', endAt: new Date(endMs).toISOString() })
      expect(await stored(plant)).to.deep.equal({ 1: [5000, 1, null, endMs], 2: [null, 1, 0, open] })

      plant.operation(2, { idealPartTime: 0, partCountMultiplier: 3 })
      expect(await stored(plant)).to.deep.equal({ 1: [5000, 1, null, endMs], 2: [null, 3, null, open] })

      plant.machine(1, { machineGroupIds: ['mills'] })
      expect(await stored(plant)).to.deep.equal({ 1: [7000, 2, null, endMs], 2: [null, 3, null, open] })
    })

    it('Job runs that are projected repeatedly are stored once', async () => {
      const plant = new TestPlant()
      plant.operation(1, { idealPartTime: 5000 })
      plant.run(1, plant.machine(1), { jobOperationId: 'operation-1' })
      const once = await stored(plant)
      await createJobRunsProjection(database.store).project([], plant.records, null)
      expect(await stored(plant)).to.deep.equal(once)
    })
  })
}
