import type { DocumentStore } from '../../schema/document-store.ts'
import type { Store } from '../client/store.ts'
import { createDayStore } from './day-store.ts'
import { createHourStore } from './hour-store.ts'
import { createProgressStore } from './progress-store.ts'
import { createSampleArchive } from './sample-archive.ts'

/** The processor's port over the store. Rejects with `StoreError`. */
export function createDocumentStore(store: Store): DocumentStore {
  return {
    ...createSampleArchive(store),
    ...createHourStore(store),
    ...createDayStore(store),
    ...createProgressStore(store),
  }
}
