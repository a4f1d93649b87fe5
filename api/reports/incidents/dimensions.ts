import { listOf, narrow } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { array, join, type Sql, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { keysOfHours } from '../../../clickhouse/tables/stored-hours.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { inParts } from '../../../shared/collections/in-parts.ts'
import { slotOf } from '../../../shared/time/units.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type DocumentScope, fromProvisional, fromStored, readScope, unionAll } from '../compile/select.ts'
import type { QueryContext } from '../query/query.ts'
import type { ProvisionalDeps } from '../sources/provisional-documents.ts'

/** Shift (0: none) and operators of a machine at an instant, by ref. */
export interface Dimensions {
  readonly shift: number
  readonly operators: readonly number[]
}

export const noDimensions: Dimensions = { shift: 0, operators: [] }

/** An instant of a machine; null: of none. */
interface Place {
  readonly machineRef: MachineRef | null
  /** UTC ms. */
  readonly startedMs: number
}

interface NumberedPlace {
  readonly number: number
  readonly machineRef: MachineRef
  readonly startedMs: number
}

/** Number of places per query: each is up to 60 bytes of SQL. */
const placesPerQuery = 10_000

/** Reads shift and operators at each place from the documents, by index; places without a document are missing. Rejects as reports do. */
export async function readDimensions(
  places: readonly Place[],
  view: CompanyView,
  queries: QueryContext & ProvisionalDeps,
): Promise<ReadonlyMap<number, Dimensions>> {
  const numbered = places.flatMap(({ machineRef, startedMs }, number) =>
    machineRef === null ? [] : [{ number, machineRef, startedMs }],
  )
  const found = new Map<number, Dimensions>()
  for (const part of inParts(numbered, placesPerQuery)) {
    const machines = [...new Set(part.map(({ machineRef }) => machineRef))]
    const starts = part.map(({ startedMs }) => startedMs)
    const range = {
      startMs: starts.reduce((least, ms) => Math.min(least, ms), Infinity),
      endMs: starts.reduce((most, ms) => Math.max(most, ms + 1), -Infinity),
    }
    const scope = await readScope(range, machines, { ...queries, view })
    const shape = { number: narrow, shift: narrow, operators: listOf(narrow) }
    const read = await rows(queries.store, compileDimensions(part, scope), shape, queries.options)
    for (const { number, ...dimensions } of read) found.set(number, dimensions)
  }
  return found
}

/** Pure. One row per place that a segment of a document contains: number, shift and operators. */
function compileDimensions(places: readonly NumberedPlace[], scope: DocumentScope): Sql {
  const keys = keysOfHours(places.map(({ machineRef, startedMs }) => ({ machineRef, slotMs: slotOf(startedMs) })))
  const provisional = fromProvisional(scope, {})
  const documents = [fromStored(scope, keys, {}), ...(provisional ? [provisional] : [])].map(
    documentsFrom => sql`
      SELECT machine, toUInt32(toUnixTimestamp(slot)) AS slot_s, segment_start, segment_end, segment_shift, segment_operators
      ${documentsFrom}`,
  )
  return sql`
SELECT number, segment_shift[segment] AS shift, segment_operators[segment] AS operators
FROM (
  SELECT number, segment_shift, segment_operators,
    arrayFirstIndex((begin, end) -> begin <= offset_ms AND offset_ms < end, segment_start, segment_end) AS segment
  FROM (${join(documents, unionAll)}) AS stored
  INNER JOIN (${placesAsRows(places)}) AS place USING (machine, slot_s))
WHERE segment > 0`
}

function placesAsRows(places: readonly NumberedPlace[]): Sql {
  const column = (of: (place: NumberedPlace) => number) => array(uint32, places.map(of))
  const numbers = column(({ number }) => number)
  const machines = column(({ machineRef }) => machineRef)
  const slots = column(({ startedMs }) => slotOf(startedMs) / 1000)
  const offsets = column(({ startedMs }) => startedMs - slotOf(startedMs))
  return sql`
    SELECT place.1 AS number, place.2 AS machine, place.3 AS slot_s, place.4 AS offset_ms
    FROM (SELECT arrayJoin(arrayZip(${numbers}, ${machines}, ${slots}, ${offsets})) AS place)`
}
