import type { ProjectedPosition } from '../../schema/commands/command-log.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { StoredRecords } from '../../schema/commands/stored-records.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { from, fromAll } from '../tables/from.ts'
import { records } from '../tables/records.ts'

/**
 * Kind of the row whose version is the position of the projection. It is written with or after the last row of its
 * entries, so that entries after it may be in the store partly, and entries up to it are complete.
 */
export const positionKind = 'projected'

/** Kinds whose deleted ids must not be assigned again. */
const kindsWithChosenIds = ['downtimeReason', 'partAdjustmentType']

/** Creates the reader with which a start continues from the store instead of the beginning of the log. */
export function createStoredRecords(store: Store): StoredRecords {
  return {
    async readPosition() {
      const where = [sql`kind = ${str(positionKind)}`, sql`id = ''`]
      const query = sql`
        SELECT max(toInt64(command_offset)) AS position, argMax(json, command_offset) AS state
        ${from(records, '', { where })} HAVING count() > 0`
      const row = await firstRow(store, query, { position: wide, state: storedText }, ofPipeline)
      const state: Omit<ProjectedPosition, 'commandOffset'> | null = row && JSON.parse(row.state)
      return row && state && { ...state, commandOffset: row.position }
    },

    async *readRecords() {
      let rest = ''
      const decoder = new TextDecoder()
      for await (const chunk of store.stream(allRecords, 'TabSeparatedRaw', ofPipeline)) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        // One call of JSON.parse for a chunk takes half of the time of a call for each line.
        const rows: readonly Row[] = JSON.parse(`[${lines.join(',')}]`)
        yield rows.map(toChange)
      }
    },
  }
}

/**
 * Reads the record of the installation; null if the store has none. The tables must exist. Rejects with a `StoreError`.
 */
export async function readInstallationRecord(store: Store): Promise<InstallationRecord | null> {
  const where = [sql`kind = 'installation'`, sql`deleted = 0`]
  const query = sql`SELECT json ${fromAll(records, 'the installation has no company', { final: true, where })} LIMIT 1`
  const row = await firstRow(store, query, { json: storedText }, ofPipeline)
  return row && JSON.parse(row.json)
}

const isNeeded = sql`kind != ${str(positionKind)} AND (deleted = 0 OR kind IN ${array(str, kindsWithChosenIds)})`
/** Each row is a line with one JSON object, because JSON contains no line end. */
const allRecords = sql`
  SELECT concat('{"kind":"', kind, '","deleted":', toString(deleted), ',"record":', json, '}')
  ${fromAll(records, 'every process needs the records of all companies', { final: true, where: [isNeeded] })}`

interface Row {
  readonly kind: RecordKind
  readonly deleted: number
  readonly record: RecordKinds[RecordKind]
}

function toChange({ kind, deleted, record }: Row): Change {
  const [before, after] = deleted === 1 ? [record, null] : [null, record]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar wrote kind and record of the same change
  return { kind, id: String(record.id), before, after } as Change
}
