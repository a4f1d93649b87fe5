import { projectRecords } from './project-records.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createJobRunsProjection } from '../../service/roles/job-runs-projection.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import type { DirectRegistrar } from './registrar.ts'

/** A store with the records of a registrar: it is opened by the first read, and every read contains all changes. */
export interface ProjectedStore extends Pick<Store, 'queryColumns'> {
  close(): Promise<void>
}

export function projectedStore({ entries, records }: DirectRegistrar): ProjectedStore {
  let opened: Promise<TestDatabase> | undefined
  let projected = 0
  let last: Promise<void> = Promise.resolve()
  const project = async (store: Store) => {
    const some = entries.slice(projected)
    projected = entries.length
    await createJobRunsProjection(store).project(some, records, null)
    await projectRecords(store, some)
  }
  return {
    async queryColumns(...args) {
      const { store } = await (opened ??= freshDatabase())
      await (last = last.then(() => project(store)))
      return store.queryColumns(...args)
    },
    close: async () => (await opened)?.drop(),
  }
}
