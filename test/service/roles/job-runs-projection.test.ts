import { expect } from 'chai'
import * as fc from 'fast-check'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { OperationsById } from '../../../processors/registrar/options.ts'
import { createJobRunsProjection } from '../../../service/roles/job-runs-projection.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { Plant } from '../../processors/registrar/plant.ts'
import { must } from '../../processors/timeline/support.ts'
import {
  type Act,
  anyAct,
  anyInstant,
  machineIds,
  newPlant,
  perform,
} from '../../clickhouse/projections/record-acts.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { projectRecords } from '../../support/project-records.ts'
import { withRecentRuns } from '../../support/recent-records.ts'

const openMs = Number.MAX_SAFE_INTEGER
const operationIds = [1, 2].map(number => `00000000-0000-4000-a000-00000000000${number}`)

function anyRunAct(): fc.Arbitrary<Act> {
  const multiplier = fc.constantFrom(1, 2, 3)
  const workCenter = fc.oneof(
    fc.record({ machineGroupId: fc.constant('mills'), partCountMultiplier: multiplier }),
    fc.record({ machineId: fc.constantFrom(...machineIds), partCountMultiplier: multiplier }),
  )
  return anyAct({
    'jobRun.start': fc.record({
      erpJobOperationRunId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      erpMachineId: fc.constantFrom('M1', 'M2'),
      jobName: fc.constantFrom('J1', 'J2', 'Other'),
      startAt: anyInstant,
    }),
    'jobOperation.put': fc.constantFrom(1, 2).chain(number =>
      fc.record({
        id: fc.constant(operationIds[number - 1]),
        jobName: fc.constant(`J${number}`),
        partCountMultiplier: multiplier,
        workCenters: fc.array(workCenter, { maxLength: 2 }),
        thresholds: fc.constantFrom({}, { oeeWarning: 0.5 }),
        description: fc.constantFrom('a', 'b'),
      }),
    ),
    'jobOperation.delete': fc.record({ id: fc.constantFrom(...operationIds) }),
    'machine.put': fc.constantFrom(1, 2).chain(number =>
      fc.record({
        id: fc.constant(machineIds[number - 1]),
        name: fc.constant(`M${number}`),
        erpMachineId: fc.constant(`M${number}`),
        machineGroupIds: fc.constantFrom([], ['mills']),
      }),
    ),
  })
}

describe('projection of job runs', function () {
  const store = useFreshDatabase()

  it('Rows of random runs are those of their definition, although memory contains recent runs and no operations', async () => {
    const acts = fc.array(anyRunAct(), { minLength: 20, maxLength: 60 })
    const sizes = fc.array(fc.integer({ min: 1, max: 8 }))
    await forAll(
      fc.asyncProperty(acts, sizes, anyInstant, fc.boolean(), async (all, drawnSizes, fromAt, isFoundByRegistrar) => {
        // The companies of all plants have the same ref.
        await store().command(sql`TRUNCATE TABLE job_runs`)
        const plant = newPlant()
        plant.result('machineGroup.put', { id: 'mills', name: 'Mills' })
        const findOperations: OperationsById = async (companyId, ids) =>
          plant.records.list('jobOperation', companyId).filter(({ id }) => ids.includes(id))
        const inMemoryFromMs = Date.parse(fromAt)
        let projected = 0
        const project = async (): Promise<void> => {
          const entries = plant.entries.slice(projected)
          projected = plant.entries.length
          const recent = withRecentRuns(plant.records, inMemoryFromMs)
          await createJobRunsProjection(store()).project(entries, recent, isFoundByRegistrar ? findOperations : null)
          await projectRecords(store(), entries)
          expect(await storedRows(store(), plant)).to.deep.equal(expectedRows(plant))
        }
        const left = [...drawnSizes]
        let size = left.shift() ?? 5
        for (const act of all) {
          perform(plant, act)
          if (--size > 0) continue
          await project()
          size = left.shift() ?? 5
        }
        await project()
      }),
      { numRuns: 30 },
    )
  })
})

interface Row {
  readonly run: number
  readonly operation: number
  readonly end: number
  readonly until: number
  readonly multiplier: number
  readonly warning: number | null
}

async function storedRows(store: Store, { records, companyId }: Plant): Promise<readonly Row[]> {
  const { ref } = must(records.company(companyId) ?? undefined)
  const rows = await store.query<Record<keyof Row, unknown>>(sql`
    SELECT run, operation, end_ms AS end, until_ms AS until, multiplier, oee_warning AS warning
    FROM job_runs FINAL WHERE company = ${uint32(ref)} ORDER BY run`)
  return rows.map(row => ({
    run: Number(row.run),
    operation: Number(row.operation),
    end: Number(row.end),
    until: Number(row.until),
    multiplier: Number(row.multiplier),
    warning: row.warning === null ? null : Number(row.warning),
  }))
}

/** The rows of all runs, by definition: a run ends at the latest when another run of its machine starts and counts. */
function expectedRows({ records, companyId }: Plant): readonly Row[] {
  const runs = records.list('jobRun', companyId)
  const isReplaced = (run: JobRunRecord): boolean =>
    runs.some(
      other =>
        other.machineId === run.machineId &&
        other.startAt === run.startAt &&
        other.endAt !== other.startAt &&
        other.startSequence > run.startSequence,
    )
  const counts = (run: JobRunRecord): boolean => run.endAt !== run.startAt && !isReplaced(run)
  const rowOf = (run: JobRunRecord): Row => {
    const laterStarts = runs
      .filter(other => other.machineId === run.machineId && other.startAt > run.startAt && counts(other))
      .map(({ startAt }) => Date.parse(startAt))
    const end = run.endAt === null ? openMs : Date.parse(run.endAt)
    const operation = must(records.get('jobOperation', companyId, run.jobOperationId) ?? undefined)
    const groups = must(records.machine(run.machineId) ?? undefined).machineGroupIds
    const multipliers = [
      ...operation.workCenters.filter(({ machineId }) => machineId === run.machineId),
      ...operation.workCenters.filter(({ machineGroupId }) => groups.some(id => id === machineGroupId)),
      operation,
    ].map(source => source.partCountMultiplier ?? 0)
    return {
      run: run.ref,
      operation: operation.ref,
      end,
      until: counts(run) ? Math.min(end, ...laterStarts) : end,
      multiplier: multipliers.find(value => value > 0) ?? 1,
      warning: operation.thresholds.oeeWarning ?? null,
    }
  }
  return runs.map(rowOf).sort((a, b) => a.run - b.run)
}
