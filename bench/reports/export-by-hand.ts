import { rm } from 'node:fs/promises'
import { createSnapshot } from '../../api/reports/files/export-snapshot.ts'
import { storedTable } from '../../api/reports/files/stored-table.ts'
import { createGroupingLevels } from '../../api/reports/groupings/grouping-levels.ts'
import { productionReport } from '../../api/reports/production.ts'
import { sourcesOf } from '../../api/reports/sources/sources.ts'
import { readDayCoverage } from '../../clickhouse/documents/day-coverage.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { type TestPlant, viewOf } from '../../test/api/reports/plant-support.ts'

/**
 * The file of a report written by the engine only: one query from the documents to the rows of the file, including names and
 * rates. Resolves to a function that writes the file and removes it again.
 */
export async function exportByHand(
  store: Store,
  plant: TestPlant,
  { body, nowMs, path }: { readonly body: object; readonly nowMs: number; readonly path: string },
): Promise<() => Promise<void>> {
  const view = viewOf(plant, nowMs)
  const request = productionReport.parse(body)
  const plan = productionReport.plan(request, view)
  const coverage = await readDayCoverage(store, plan.companyRef, plan.shopDays)
  const query = productionReport.compile(plan, sourcesOf(plan, productionReport.sources, { coverage }))
  const snapshot = await createSnapshot(plan, query, { store, options: {} })
  let write = () => Promise.resolve()
  const watched: Store = {
    ...store,
    writeFile: (...args) => {
      write = () => store.writeFile(...args)
      return write()
    },
  }
  const levels = createGroupingLevels({ request, plan, view })
  const table = storedTable({ request, plan }, { ...snapshot, relation: query.sql }, levels, {
    store: watched,
    options: {},
  })
  await table.write({ path, format: 'csv' })
  await rm(path)
  return async () => {
    await write()
    await rm(path)
  }
}
