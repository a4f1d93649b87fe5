import type { Extent, HourLink, HourStore, VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { machineRef, storedText, wide } from '../client/kinds.ts'
import { gatherCalls, type Linger } from '../client/gathered-inserts.ts'
import { gatherReads } from '../client/gathered-reads.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { inSlices } from '../../shared/async/steps.ts'
import { second, sql } from '../sql/sql.ts'
import { columnBound, within } from '../sql/time-bounds.ts'
import { evenHours, hours } from '../tables/documents.ts'
import { from, ofMachines } from '../tables/from.ts'
import { brokenLinks } from './broken-links.ts'
import { documentBlock } from './document-block.ts'
import { evenRows } from './even-hours.ts'
import { insertChunks } from './insert-chunks.ts'

const process: QueryOptions = { workload: 'process' }

/** So many are an insert of their own, and share none. */
const manyDocuments = 1_000
/** A shared insert has no more pieces than this: some twenty megabytes. */
const mostPieces = 400_000

/** The part of the processor's port that is about documents of hours. Rejects with `StoreError`. */
export function createHourStore(store: Store, linger?: Linger): HourStore {
  // Partitions write and read at the same time.
  const insert = gatherCalls(calls => insertDocuments(store, calls.flat()), {
    sizeOf: piecesOf,
    most: mostPieces,
    ...(linger && { lingerMs: linger }),
  })
  const statesOf = gatherReads((...asked: Parameters<HourStore['readStates']>) => readStates(store, ...asked))
  return {
    async writeDocuments(documents) {
      for (const chunk of insertChunks(documents)) {
        if (chunk.length < manyDocuments) {
          await insert(chunk)
          continue
        }
        const even = await inSlices(evenRows(chunk))
        if (even) await store.insert(evenHours.name, even.columns, even.lines.join('\n'))
        await insertDocuments(store, even?.others ?? chunk)
      }
    },

    async readStates(companyRef, machines, slotMs) {
      const states = await statesOf(companyRef, machines, slotMs)
      return new Map(states.map(({ machineRef, state_out: state }) => [machineRef, state]))
    },
    readLinks: gatherReads((...asked: Parameters<HourStore['readLinks']>) => readLinks(store, ...asked)),
    readExtents: gatherReads((...asked: Parameters<HourStore['readExtents']>) => readExtents(store, ...asked)),
    readBrokenLinks: gatherReads((companyRef: CompanyRef, machines: readonly MachineRef[]) =>
      rows(store, brokenLinks(companyRef, machines), { machineRef, slotMs: wide }, process),
    ),
  }
}

async function insertDocuments(store: Store, documents: readonly VersionedDocument[]): Promise<void> {
  if (documents.length > 0) await store.insertNative(hours.name, await inSlices(documentBlock(documents)))
}

/** About how much there is to be written of documents. */
function piecesOf(documents: readonly VersionedDocument[]): number {
  let pieces = 10 * documents.length
  for (const { segments, parts, facts } of documents) pieces += segments.length + parts.length + facts.length
  return pieces
}

function readStates(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[], slotMs: number) {
  const reading = { final: true, where: [sql`slot = ${second(slotMs)}`, ofMachines(machines)] }
  const query = sql`SELECT machine AS machineRef, state_out ${from(hours, companyRef, reading)}`
  return rows(store, query, { machineRef, state_out: storedText }, process)
}

function readLinks(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly HourLink[]> {
  const where = [ofMachines(machines), within(sql`slot`, fromMs, toMs)]
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn,
        if(slot = ${second(columnBound(fromMs))}, state_out, '') AS stateOut
      ${from(hours, companyRef, { final: true, where })}
      ORDER BY machine, slot`,
    { machineRef, slotMs: wide, hashIn: storedText, stateOut: storedText },
    process,
  )
}

function readExtents(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly Extent[]> {
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, toInt64(toUnixTimestamp(min(slot))) * 1000 AS firstSlotMs, toInt64(toUnixTimestamp(max(slot))) * 1000 AS lastSlotMs
      ${from(hours, companyRef, { where: [ofMachines(machines)] })}
      GROUP BY machine ORDER BY machine`,
    { machineRef, firstSlotMs: wide, lastSlotMs: wide },
    process,
  )
}
