import type { Extent, HourLink, HourRange, HourStore, VersionedDocument } from '../../schema/document-store.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { machineRef, storedText, wide } from '../client/kinds.ts'
import { batchRows, type Linger } from '../client/batch-inserts.ts'
import { gatherReads } from '../client/gathered-reads.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { hourMs } from '../../shared/time/units.ts'
import { second, sql } from '../sql/sql.ts'
import { columnBound } from '../sql/time-bounds.ts'
import { hours, repeatedHours } from '../tables/documents.ts'
import { readBrokenLinks } from './broken-links.ts'
import { documentBlock } from './document-block.ts'
import { insertChunks } from './insert-chunks.ts'
import { separateRepeated } from './repeated-hours.ts'
import { extentsOf, fromStoredHours } from '../tables/stored-hours.ts'

/** Minimum number of documents of an insert that is not shared. */
const manyDocuments = 1_000
/** Limit of the elements of a shared insert: some 20 MB. */
const maxElements = 400_000

/** Stores and reads hourly documents. Rejects with `StoreError`. */
export function createHourStore(store: Store, linger?: Linger): HourStore {
  // Partitions write and read at the same time.
  const insert = batchRows(calls => insertDocuments(store, calls.flat()), {
    sizeOf: elementsOf,
    maxSize: maxElements,
    ...(linger && { lingerMs: linger }),
  })
  const statesOf = gatherReads<[number], { readonly machineRef: MachineRef; readonly state_out: string }>(
    (companyRef, machines, slotMs) => {
      const keys = { fromMs: slotMs, toMs: slotMs + hourMs, machines }
      const query = sql`SELECT machine AS machineRef, state_out ${fromStoredHours(companyRef, keys)}`
      return rows(store, query, { machineRef, state_out: storedText }, ofPipeline)
    },
  )
  return {
    async writeDocuments(documents) {
      const repeated = await separateRepeated(documents)
      for (const chunk of insertChunks(repeated.others))
        await (chunk.length < manyDocuments ? insert(chunk) : insertDocuments(store, chunk))
      // Rows of a run replace older data in it, so its documents are written before.
      for (const each of repeated.rows) await store.insertNative(repeatedHours.name, each)
    },

    async readStates(companyRef, machines, slotMs) {
      const states = await statesOf(companyRef, machines, slotMs)
      return new Map(states.map(({ machineRef, state_out: state }) => [machineRef, state]))
    },

    readLinks: gatherReads<[number, number], HourLink>((companyRef, machines, fromMs, toMs) => {
      const query = sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn,
          if(slot = ${second(columnBound(fromMs))}, state_out, '') AS stateOut
        ${fromStoredHours(companyRef, { fromMs, toMs, machines })}
        ORDER BY machine, slot`
      return rows(store, query, { machineRef, slotMs: wide, hashIn: storedText, stateOut: storedText }, ofPipeline)
    }),

    readExtents: gatherReads<[], Extent>((companyRef, machines) => {
      const query = sql`
        SELECT machine AS machineRef, toInt64(toUnixTimestamp(first_slot)) * 1000 AS firstSlotMs,
          toInt64(toUnixTimestamp(last_slot)) * 1000 AS lastSlotMs
        FROM (${extentsOf(companyRef, machines)}) ORDER BY machine`
      return rows(store, query, { machineRef, firstSlotMs: wide, lastSlotMs: wide }, ofPipeline)
    }),

    readBrokenLinks: gatherReads<[], HourRange>((...of) => readBrokenLinks(store, ...of)),
  }
}

async function insertDocuments(store: Store, documents: readonly VersionedDocument[]): Promise<void> {
  if (documents.length > 0) await store.insertNative(hours.name, await runCooperatively(documentBlock(documents)))
}

/** Approximate number of elements of documents. */
function elementsOf(documents: readonly VersionedDocument[]): number {
  let elements = 10 * documents.length
  for (const { segments, parts, facts } of documents) elements += segments.length + parts.length + facts.length
  return elements
}
