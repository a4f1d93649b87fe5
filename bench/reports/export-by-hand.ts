import { rm } from 'node:fs/promises'
import { createGroupingLevels } from '../../api/reports/grouping-levels.ts'
import { parseProduction } from '../../api/reports/parse.ts'
import { createCompanyViews } from '../../api/reports/company-view.ts'
import { compile, keyNames } from '../../api/reports/production/compile.ts'
import { readFromDays } from '../../api/reports/production/day-documents.ts'
import { takeSnapshot } from '../../api/reports/production/export-snapshot.ts'
import { planProduction } from '../../api/reports/production/plan.ts'
import { storedTable } from '../../api/reports/production/stored-table.ts'
import { tableLevels } from '../../api/reports/production/table-levels.ts'
import { KnownCoverage } from '../../clickhouse/documents/known-coverage.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { calendarOf, type TestPlant } from '../../test/api/reports/plant-support.ts'

/**
 * A report's file as the engine writes it with nothing around: one query from the documents to the rows of the file, names and rates
 * included. Resolves with a function that does so and removes the file again.
 */
export async function exportByHand(
  store: Store,
  plant: TestPlant,
  { body, nowMs, path }: { readonly body: object; readonly nowMs: number; readonly path: string },
): Promise<() => Promise<void>> {
  const found = createCompanyViews(plant.records).of(plant.company.id)
  if (!found) throw new Error('There is no plant')
  const request = parseProduction(body)
  const { groupBy, metrics, filters } = request
  const calendar = calendarOf(found.company.settings, null)
  const planned = planProduction(request, { view: found, calendar, nowMs })
  const plan = await readFromDays(planned, { store, options: {}, coverage: new KnownCoverage() })
  const query = compile(plan)
  const snapshot = await takeSnapshot(plan, query, { store, options: {} })
  const levels = tableLevels(
    createGroupingLevels(groupBy, { plan, view: found, filters }),
    keyNames(plan),
    snapshot.keyValues,
  )
  let write = () => Promise.resolve()
  const watched: Store = {
    ...store,
    writeFile: (...args) => {
      write = () => store.writeFile(...args)
      return write()
    },
  }
  const parts = { plan, snapshot: { ...snapshot, relation: query }, groupBy, levels, metrics }
  const table = storedTable(parts, { store: watched, options: {} })
  await table.write({ path, format: 'csv' })
  await rm(path)
  return async () => {
    await write()
    await rm(path)
  }
}
