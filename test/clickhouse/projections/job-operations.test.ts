import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  readGroupsInUse,
  readOperationNames,
  readOperations,
  readOperationsByNames,
  readOperationsByRefs,
  readOperationTraits,
} from '../../../clickhouse/projections/job-operations.ts'
import { readUses } from '../../../clickhouse/projections/uses.ts'
import type { JobNames, NamedOperation } from '../../../schema/records/job-names.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'
import { naiveUses } from '../../support/naive-uses.ts'
import { projectRecords } from '../../support/project-records.ts'

const text = fc.constantFrom('', 'a', "b ü'\\", 'c / d')
const group = fc.constantFrom('g1', 'g2', 'g3')
const id = fc.nat(9).map(number => `operation-${number}`)
const workCenter = fc.record({ machineGroupId: group, partCountMultiplier: fc.constantFrom(null, 1, 2) })

/** Commands that create, rename, archive and delete job operations. Names are often in use. */
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant('jobOperation.put'),
      payload: fc.record({
        id,
        jobName: fc.constantFrom('J1', 'J2'),
        lotName: text,
        partName: text,
        partCountMultiplier: fc.constantFrom(null, 1, 3),
        workCenters: fc.array(workCenter, { maxLength: 2 }),
        thresholds: fc.constantFrom({}, { oeeWarning: 0.5 }),
        archivedAt: fc.constantFrom(null, '2024-03-04T00:00:00.000Z'),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('jobOperation.delete'), payload: fc.record({ id }) }) },
)
const shapeOfRun = fc.record({
  commands: fc.array(command, { minLength: 20, maxLength: 60 }),
  cut: fc.nat(60),
  after: fc.nat(12),
  limit: fc.integer({ min: 1, max: 4 }),
  filter: fc.oneof(
    fc.record({}),
    fc.record(
      { jobName: fc.constant('J1'), lotName: text, partName: text, archived: fc.boolean() },
      { requiredKeys: [] },
    ),
  ),
})

describe('stored job operations', () => {
  const store = useFreshDatabase()

  it('Each read equals a search of all job operations', async () => {
    const found = new Set<string>()
    await forAll(
      fc.asyncProperty(shapeOfRun, async ({ commands, cut, after, limit, filter }) => {
        for (const table of ['records', 'job_operations', 'job_operation_names'])
          await store().command({ parts: [`TRUNCATE TABLE ${table}`] })
        const plant = new Plant()
        for (const name of ['g1', 'g2', 'g3']) plant.result('machineGroup.put', { id: name, name })
        for (const { name, payload } of commands) plant.do(name, payload)
        for (const entries of [plant.entries.slice(0, cut), plant.entries.slice(cut)])
          await projectRecords(store(), entries)
        const { companyId } = plant
        const all = plant.records.list('jobOperation', companyId).toSorted((a, b) => a.ref - b.ref)
        const refs = [1, 3, ...all.slice(1).map(({ ref }) => ref), 99]
        const ofRefs = await readOperationsByRefs(store(), companyId, refs, {})
        expect(ofRefs).to.have.deep.members(all.filter(({ ref }) => refs.includes(ref)))
        const named = await readOperationNames(store(), companyId, refs, {})
        expect(named).to.have.deep.members(ofRefs.map(onlyNames))
        const names = [...everSeenNames(plant), { jobName: 'J', lotName: '1', operationName: '', partName: '' }]
        expect(await readOperationsByNames(store(), companyId, names, {})).to.have.deep.members(all)
        for (const operation of all) {
          const some = await readOperationsByNames(store(), companyId, [operation], {})
          expect(some).to.deep.equal([operation])
        }
        const page = await readOperations(store(), companyId, { ...filter, afterRef: after, limit }, {})
        const matching = all.filter(each => each.ref > after && matches(each, filter))
        expect(page).to.deep.equal(matching.slice(0, limit))
        if (matching.length > limit) found.add('next page')
        for (const used of ['g1', 'g2', 'g3'].map(each => ({ kind: 'machineGroup', companyId, id: each }) as const))
          expect(await readUses(store(), used)).to.deep.equal(naiveUses(plant.records, used))
        const except = all.slice(0, 4).map(each => each.id)
        const others = all.filter(each => !except.includes(each.id))
        const groups = others.flatMap(each => each.workCenters.flatMap(({ machineGroupId }) => machineGroupId ?? []))
        expect(await readGroupsInUse(store(), companyId, except, {})).to.deep.equal(new Set(groups))
        const traits = (await readOperationTraits(store(), {})).get(companyId)
        if (all.some(each => each.partCountMultiplier === 3)) expect(traits?.hasMultipliers).to.equal(true)
        if (all.some(each => each.workCenters.some(center => center.partCountMultiplier === 2)))
          expect(traits?.hasMultipliers).to.equal(true)
        if (all.some(({ thresholds }) => Object.keys(thresholds).length > 0)) {
          found.add('thresholds')
          expect(traits?.hasThresholds).to.equal(true)
        }
        if (groups.length > 0) found.add('groups')
      }),
      { numRuns: 40, shrinks: true },
    )
    expect([...found]).to.have.members(['next page', 'thresholds', 'groups'])
  })
})

function onlyNames({ id, ref, jobName, lotName, operationName, partName }: JobOperationRecord): NamedOperation {
  return { id, ref, jobName, lotName, operationName, partName }
}

/** Returns the names that operations have or had. */
function everSeenNames(plant: Plant): readonly JobNames[] {
  const records = plant.entries.flatMap(({ changes }) => changes.flatMap(({ before, after }) => [before, after]))
  return records.filter((each): each is JobOperationRecord => each !== null && 'jobName' in each)
}

function matches(operation: JobOperationRecord, filter: Partial<JobNames> & { readonly archived?: boolean }): boolean {
  const { archived, jobName, lotName, partName } = filter
  if (archived !== undefined && archived !== (operation.archivedAt !== null)) return false
  const has = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value
  return has(jobName, operation.jobName) && has(lotName, operation.lotName) && has(partName, operation.partName)
}
