import { expect } from 'chai'
import * as fc from 'fast-check'
import { readUses } from '../../../clickhouse/projections/uses.ts'
import { Plant, hour } from '../../processors/registrar/plant.ts'
import { createJobRunsProjection } from '../../../service/roles/job-runs-projection.ts'
import { maxFirstUses, type UsedRecord } from '../../../schema/commands/uses.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { naiveUses } from '../../support/naive-uses.ts'
import { projectRecords } from '../../support/project-records.ts'

const machineIds = ['d1b2f0a4-0000-4000-8000-000000000001', 'd1b2f0a4-0000-4000-8000-000000000002']
const id = fc.nat(9).map(number => `d1b2f0a4-0000-4000-8000-00000000001${number}`)
const machineId = fc.constantFrom(...machineIds)
const [number, text] = [fc.integer({ min: 1, max: 2 }), fc.constantFrom('a', 'b')]
const at = fc.nat(9).map(hour)

/** Commands that create, move and delete records which refer to others. */
const command = fc.oneof(
  fc.record({
    name: fc.constant('annotation.put'),
    payload: fc.record({ id, machineId, reasonId: number, startAt: at, endAt: fc.constant(hour(10)) }),
  }),
  fc.record({ name: fc.constant('annotation.delete'), payload: fc.record({ id }) }),
  fc.record({
    name: fc.constant('operatorRun.start'),
    payload: fc.record({ machineId, operatorId: text, startAt: at }),
  }),
  fc.record({
    name: fc.constant('partAdjustment.create'),
    payload: fc.record({
      machine_id: machineId,
      category_id: number,
      adjustmenttime: at,
      scrapcount: fc.constant(1),
    }),
  }),
  fc.record({
    name: fc.constant('jobRun.start'),
    payload: fc.record({ erpJobOperationRunId: id, erpMachineId: fc.constant('M1'), jobName: text, startAt: at }),
  }),
)

describe('uses of records', () => {
  const store = useFreshDatabase()

  it('The stored uses of a record equal those that a search of all records finds', async () => {
    const found = new Set<string>()
    let isMany = false
    await forAll(
      fc.asyncProperty(fc.array(command, { minLength: 40, maxLength: 120 }), fc.nat(120), async (commands, cut) => {
        for (const table of ['annotations', 'operator_runs', 'part_adjustments', 'job_runs'])
          await store().command({ parts: [`TRUNCATE TABLE ${table}`] })
        const plant = new Plant()
        for (const [index, machine] of machineIds.entries())
          plant.result('machine.put', { id: machine, name: machine, erpMachineId: `M${index + 1}` })
        for (const name of ['a', 'b']) {
          plant.reason(name)
          plant.result('partAdjustmentType.put', { name })
          plant.result('operator.put', { id: name, name })
        }
        for (const { name, payload } of commands) plant.do(name, payload)
        for (const entries of [plant.entries.slice(0, cut), plant.entries.slice(cut)]) {
          await projectRecords(store(), entries)
          await createJobRunsProjection(store()).project(entries, plant.records, null)
        }
        for (const used of usedRecords(plant)) {
          const expected = naiveUses(plant.records, used)
          expect(await readUses(store(), used), JSON.stringify(used)).to.deep.equal(expected)
          if (expected.count > 0) found.add(used.kind)
          isMany ||= expected.count > maxFirstUses
        }
      }),
      { numRuns: 12, shrinks: true },
    )
    expect(isMany).to.equal(true)
    expect(found).to.have.all.keys('downtimeReason', 'operator', 'partAdjustmentType', 'jobOperation')
  })
})

function usedRecords({ companyId, records }: Plant): readonly UsedRecord[] {
  const companyRef = records.company(companyId)?.ref
  if (companyRef === undefined) throw new Error('The company is missing')
  return [
    ...[1, 2, 3].flatMap(each => [
      { kind: 'downtimeReason', companyId, id: each } as const,
      { kind: 'partAdjustmentType', companyId, id: each } as const,
    ]),
    ...records.list('operator', companyId).map(each => ({ kind: 'operator', companyId, id: each.id }) as const),
    ...records
      .list('jobOperation', companyId)
      .map(
        ({ id: operationId, ref }) => ({ kind: 'jobOperation', companyId, companyRef, id: operationId, ref }) as const,
      ),
  ]
}
