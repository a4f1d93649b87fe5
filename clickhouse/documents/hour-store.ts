import type { Extent, HourLink, HourStore, VersionedDocument } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { machineRef, storedText, wide } from '../client/kinds.ts'
import { gatherCalls, type Linger } from '../client/batch-inserts.ts'
import { gatherReads } from '../client/gathered-reads.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { hourMs } from '../../shared/time/units.ts'
import { second, sql } from '../sql/sql.ts'
import { columnBound } from '../sql/time-bounds.ts'
import { evenHours, hours, repeatedHours } from '../tables/documents.ts'
import { readBrokenLinks } from './broken-links.ts'
import { readOutdatedHours } from './outdated-hours.ts'
import { documentBlock } from './document-block.ts'
import { evenRows, type EvenRows, repeatedRows } from './even-hours.ts'
import { insertChunks } from './insert-chunks.ts'
import { extentsOf, fromStoredHours, repeatedUntilMs } from '../tables/stored-hours.ts'

const process: QueryOptions = { workload: 'process' }

/** Number of documents from which an insert is not shared. */
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
      const { rows, others } = await takeRepeated(documents)
      for (const chunk of insertChunks(others)) {
        if (chunk.length < manyDocuments) {
          await insert(chunk)
          continue
        }
        const even = await runCooperatively(evenRows(chunk))
        if (even) await store.insert(evenHours.name, even.columns, even.lines.join('\n'))
        await insertDocuments(store, even?.others ?? chunk)
      }
      // A stretch replaces what is older in it: the documents that belong to it are there before.
      for (const { columns, lines } of rows) await store.insert(repeatedHours.name, columns, lines.join('\n'))
    },

    async readStates(companyRef, machines, slotMs) {
      const states = await statesOf(companyRef, machines, slotMs)
      return new Map(states.map(({ machineRef, state_out: state }) => [machineRef, state]))
    },
    readLinks: gatherReads((...asked: Parameters<HourStore['readLinks']>) => readLinks(store, ...asked)),
    readExtents: gatherReads((...asked: Parameters<HourStore['readExtents']>) => readExtents(store, ...asked)),
    readOutdatedHours: gatherReads((companyRef: CompanyRef, machines: readonly MachineRef[]) =>
      readOutdatedHours(store, companyRef, machines),
    ),
    readBrokenLinks: gatherReads((companyRef: CompanyRef, machines: readonly MachineRef[]) =>
      readBrokenLinks(store, companyRef, machines),
    ),
  }
}

/** Insert of rows of `repeated_hours`. */
interface RepeatedHours {
  readonly rows: readonly EvenRows[]
  /** Documents that are to be written as such, before the rows. */
  readonly others: readonly VersionedDocument[]
}

/** Separates long intervals of equal historic hours from the documents. */
async function takeRepeated(documents: readonly VersionedDocument[]): Promise<RepeatedHours> {
  if (documents.length < manyDocuments) return { rows: [], others: documents }
  const rows: EvenRows[] = []
  const others: (readonly VersionedDocument[])[] = []
  for (const stretch of stretchesOf(documents)) {
    const [first] = stretch
    const isLongAgo = first !== undefined && first.slotMs < repeatedUntilMs && stretch.length >= manyDocuments
    const found = isLongAgo ? await runCooperatively(repeatedRows(stretch)) : null
    if (found) rows.push(found)
    others.push(found?.others ?? stretch)
  }
  return { rows, others: others.flat() }
}

/** Hours of one machine that follow each other, on one side of the border of repeated hours. */
function stretchesOf(documents: readonly VersionedDocument[]): readonly (readonly VersionedDocument[])[] {
  const stretches: VersionedDocument[][] = []
  let last: VersionedDocument | null = null
  for (const document of documents) {
    const { companyRef, machineRef, slotMs } = document
    const goesOn =
      last?.companyRef === companyRef &&
      last.machineRef === machineRef &&
      last.slotMs + hourMs === slotMs &&
      slotMs !== repeatedUntilMs
    if (goesOn) stretches.at(-1)?.push(document)
    else stretches.push([document])
    last = document
  }
  return stretches
}

async function insertDocuments(store: Store, documents: readonly VersionedDocument[]): Promise<void> {
  if (documents.length > 0) await store.insertNative(hours.name, await runCooperatively(documentBlock(documents)))
}

/** About how much there is to be written of documents. */
function piecesOf(documents: readonly VersionedDocument[]): number {
  let pieces = 10 * documents.length
  for (const { segments, parts, facts } of documents) pieces += segments.length + parts.length + facts.length
  return pieces
}

function readStates(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[], slotMs: number) {
  const keys = { fromMs: slotMs, toMs: slotMs + hourMs, machines }
  const query = sql`SELECT machine AS machineRef, state_out ${fromStoredHours(companyRef, keys)}`
  return rows(store, query, { machineRef, state_out: storedText }, process)
}

function readLinks(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
): Promise<readonly HourLink[]> {
  return rows(
    store,
    sql`
      SELECT machine AS machineRef, toInt64(toUnixTimestamp(slot)) * 1000 AS slotMs, toString(hash_in) AS hashIn,
        if(slot = ${second(columnBound(fromMs))}, state_out, '') AS stateOut
      ${fromStoredHours(companyRef, { fromMs, toMs, machines })}
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
      SELECT machine AS machineRef, toInt64(toUnixTimestamp(first_slot)) * 1000 AS firstSlotMs,
        toInt64(toUnixTimestamp(last_slot)) * 1000 AS lastSlotMs
      FROM (${extentsOf(companyRef, machines)}) ORDER BY machine`,
    { machineRef, firstSlotMs: wide, lastSlotMs: wide },
    process,
  )
}
