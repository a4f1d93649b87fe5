import type { DocumentStore } from '../../schema/document-store.ts'
import type { Linger } from '../client/batch-inserts.ts'
import type { Store } from '../client/store.ts'
import { createDayStore } from './day-store.ts'
import { createHourStore } from './hour-store.ts'
import { createProgressStore } from './progress-store.ts'
import { createSampleArchive } from './sample-archive.ts'

/** The processor's port over the store. Rejects with `StoreError`. `linger`: linger of inserts. */
export function createDocumentStore(store: Store, linger?: Linger): DocumentStore {
  return {
    ...createSampleArchive(store, linger),
    ...createHourStore(store, linger),
    ...createDayStore(store),
    ...createProgressStore(store),
  }
}
