import { expect } from 'chai'
import * as fc from 'fast-check'
import { type NamedView, withNames, withRunsOfOperations } from '../../../../api/reports/company/job-runs.ts'
import { createCompanyViews } from '../../../../api/reports/company/company-view.ts'
import { createQueryContext } from '../../../../api/reports/query/query.ts'
import type { NamedOperation } from '../../../../schema/records/job-names.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { forAll } from '../../../support/for-all.ts'
import { at, midnightMs } from '../event-support.ts'
import { calendarOf, TestPlant, viewOf } from '../plant-support.ts'

const hourMs = 3_600_000

/** Changes of runs, one after the other; several per projection. */
const anyChange = fc.record({
  run: fc.integer({ min: 1, max: 12 }),
  machine: fc.integer({ min: 1, max: 2 }),
  operation: fc.integer({ min: 1, max: 3 }),
  start: fc.integer({ min: 0, max: 8 }),
  /** Hours; 0: the run is cancelled; null: no end is reported. */
  hours: fc.option(fc.integer({ min: 0, max: 6 })),
  change: fc.constantFrom('put', 'put', 'put', 'delete', 'operation', 'groups'),
  projects: fc.boolean(),
})

describe('job runs in reports', () => {
  const store = useFreshDatabase()
  const noLimits = { max_execution_time: 0, max_memory_usage: 0, max_rows_to_read: 0, max_result_rows: 0 }

  it('Names and ends of job runs that are read from the store equal those of the records in memory', () =>
    forAll(
      fc.asyncProperty(
        fc.array(anyChange, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 0, max: 14 }),
        async (changes, nowHour) => {
          const plant = new TestPlant()
          const machines = [1, 2].map(ref => plant.machine(10 * plant.company.ref + ref))
          for (const ref of [1, 2, 3]) plant.operation(ref, { id: ref === 3 ? letterId : `operation-${ref}` })
          const operationId = (ref: number) => (ref === 3 ? letterId : `operation-${ref}`)
          for (const { run, machine, operation, start, hours, change, projects } of changes) {
            const known = plant.records.get('jobRun', plant.company.id, `run-${run}`)
            const onMachine = machines[machine - 1]
            if (!onMachine) throw new Error('There is no such machine')
            if (change === 'delete') plant.remove('jobRun', `run-${run}`)
            else if (change === 'operation')
              plant.operation(operation, { id: operationId(operation), idealPartTime: start })
            else if (change === 'groups') plant.put('machine', { ...onMachine, machineGroupIds: [`group-${start}`] })
            else {
              const startAt = known?.startAt ?? at(start)
              const endAt = hours === null ? null : new Date(Date.parse(startAt) + hours * hourMs).toISOString()
              if (known) plant.put('jobRun', { ...known, endAt })
              else {
                const ref = ++lastRef
                const of = { id: `run-${run}`, jobOperationId: operationId(operation), startAt, endAt }
                plant.run(ref, onMachine, of)
              }
            }
            if (projects) await plant.project(store())
          }
          await plant.project(store())
          const nowMs = midnightMs + nowHour * hourMs
          const expected = viewOf(plant, nowMs)
          const views = createCompanyViews({ records: plant.records, calendarOf, clock: () => nowMs })
          const view = views.of(plant.company.id)
          views.stop()
          if (!view) throw new Error('There is no company')
          const queries = createQueryContext({ store: store(), limits: noLimits }, plant.company, 'test')
          const refs = Array.from({ length: lastRef + 1 }, (_, ref) => ref)
          const ids = [1, 2, 3].map(operationId)
          const withoutOperations = { ...view, recentOperation: () => null, recentOperationByRef: () => null }
          for (const each of [view, withoutOperations]) {
            const named = await withNames(
              each,
              { runs: [...refs, ...refs, [1, 2]], operations: [0, 2, 2, 99] },
              queries,
            )
            expect(runsOf(named)).to.deep.equal(runsOf(expected))
            expect(onlyNames(named.operations.get(2))).to.deep.equal(onlyNames(expected.operations.get(2)))
            expect(named.operations.get(99)).to.equal(undefined)
            const filtered = await withRunsOfOperations(each, [...ids, 'unknown', letterId.toUpperCase()], queries)
            for (const id of [...ids, 'unknown', letterId.toUpperCase()])
              expect(filtered.runsOfOperation(id), id).to.have.members(expected.runsOfOperation(id))
          }
          expect(view.lastRun).to.be.at.least(Math.max(0, ...expected.runs.keys()))
        },
      ),
      { numRuns: 20, shrinks: true },
    ))
})

/** Runs of all plants have different refs. */
let lastRef = 0
const letterId = '00000000-0000-4000-8000-00000000abcd'

/** Returns the runs by ref, with the names of their operations. */
function runsOf({ runs }: Pick<NamedView, 'runs'>) {
  return Array.from(runs, ([ref, run]) => ({ ...run, ref, operation: onlyNames(run.operation) })).sort(
    (a, b) => a.ref - b.ref,
  )
}

function onlyNames(operation: NamedOperation | undefined): NamedOperation {
  if (!operation) throw new Error('There is no such operation')
  const { id, ref, jobName, lotName, operationName, partName } = operation
  return { id, ref, jobName, lotName, operationName, partName }
}
