import { companyOf } from '../../schema/records/company-of.ts'
import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { wide } from '../client/kinds.ts'
import { firstRow } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql, str } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import {
  annotationsIn,
  credentialsIn,
  machineRunsIn,
  operatorRunsIn,
  partAdjustmentsIn,
  records as recordTable,
} from '../tables/records.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import type { Table } from '../tables/table.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { companyOfChange } from './company-of-change.ts'
import { deletePreviousPositions } from './previous-positions.ts'
import type { RecordsView } from './records-view.ts'

/** The records as tables for SQL queries. Only the registrar writes them. */
export interface RecordsProjection {
  /**
   * Writes the changes of entries, after their rows in all other tables. Idempotent: rows have the entry's
   * `commandOffset` as version. An entry that starts a rebuild writes every record again, in its current state in
   * `records`, which contain the entries. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Pick<RecordsView, 'allRecords'>): Promise<void>
  /** Returns the `commandOffset` up to which all rows of every entry are in the store; -1: it has no entry. */
  readProjectedOffset(): Promise<number>
}

/** Timeout of an insert, ms; the caller retries it. */
const timeoutMs = 10_000

/** Maximum number of rows per insert when a rebuild writes all records again. */
const rowsPerInsert = 50_000

export function createRecordsProjection(store: Store): RecordsProjection {
  const insert = async (found: readonly RecordRow[]): Promise<void> => {
    if (found.length === 0) return
    const signal = AbortSignal.timeout(timeoutMs + found.length)
    // Copies first: a row in the table of records means that its entry is complete in the store.
    const withCopies = found.filter(({ kind }) => copies[kind])
    for (const [into, rows] of groupBy(withCopies, ({ kind }) => copies[kind] ?? recordTable))
      await insertRows(store, { ...writer, table: into.name }, rows, { signal, workload: 'records' })
    await insertRows(store, writer, found, { signal, workload: 'records' })
  }
  return {
    async project(entries, records) {
      // First, for the same reason as the copies of records.
      await deletePreviousPositions(store, entries)
      let found: RecordRow[] = []
      const slice = new TimeSlice()
      for (const entry of entries) {
        const rebuild = entry.changes.find(isNewRebuild)
        if (rebuild) {
          await insert(found)
          found = []
          for (const repeated of repeatAllRows(rebuild, entry, records)) await insert(repeated)
        }
        for (const change of entry.changes) {
          found.push(rowOf(change, entry))
          if (slice.isOver) await slice.next()
        }
      }
      const last = entries.at(-1)
      // Within the last insert, so that the position costs no insert of its own.
      if (last && entries.some(({ changes }) => changes.length > 0)) found.push(positionRow(last))
      await insert(found)
    },

    async readProjectedOffset() {
      const where = [sql`kind = ${str(positionKind)}`, sql`id = ''`]
      const query = sql`SELECT max(toInt64(command_offset)) AS position ${from(recordTable, '', { where })} HAVING count() > 0`
      const options = { workload: 'process', signal: AbortSignal.timeout(timeoutMs) } as const
      return (await firstRow(store, query, { position: wide }, options))?.position ?? -1
    },
  }
}

/** A row of the table of records. */
interface RecordRow {
  /** Id of the company; '' for records of the installation. */
  readonly company: string
  readonly kind: RecordKind | typeof positionKind
  readonly id: string
  readonly record: RecordKinds[RecordKind] | null
  readonly deleted: boolean
  readonly commandOffset: number
}

/**
 * Kind of the row whose version is the position of the projection. It is written with or after the last row of its
 * entries, so that entries after it may be in the store partly, and entries up to it are complete.
 */
export const positionKind = 'projected'

function positionRow({ commandOffset }: RecordEntry): RecordRow {
  return { company: '', kind: positionKind, id: '', record: null, deleted: false, commandOffset }
}

/** Tables from which materialized views copy records of a kind. */
const copies: Readonly<Partial<Record<RecordRow['kind'], Table>>> = {
  key: credentialsIn,
  user: credentialsIn,
  session: credentialsIn,
  annotation: annotationsIn,
  operatorRun: operatorRunsIn,
  partAdjustment: partAdjustmentsIn,
  jobRun: machineRunsIn,
}

const writer: RowWriter<RecordRow> = rowWriter(recordTable, {
  company: ({ company }) => company,
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  ref: ({ record }) => (record && 'ref' in record ? record.ref : 0),
  json: ({ record }) => JSON.stringify(record),
  deleted: ({ deleted }) => Number(deleted),
  command_offset: ({ commandOffset }) => commandOffset,
})

function isNewRebuild({ kind, before }: Change): boolean {
  return kind === 'rebuild' && before === null
}

/**
 * Returns a row of every record of the company (or of all companies), with the version of the previous command: not
 * older than any row of the record, but older than the rows of this command.
 */
function* repeatAllRows(
  { after: rebuild }: Change,
  { commandOffset }: RecordEntry,
  records: Pick<RecordsView, 'allRecords'>,
): Generator<readonly RecordRow[]> {
  const companyId = rebuild ? companyOf(rebuild) : ''
  let found: RecordRow[] = []
  for (const { kind, id, record } of records.allRecords()) {
    const company = kind === 'company' ? id : companyOf(record)
    if (companyId !== '' && company !== companyId) continue
    found.push({ company, kind, id, record, deleted: false, commandOffset: Math.max(0, commandOffset - 1) })
    if (found.length < rowsPerInsert) continue
    yield found
    found = []
  }
  yield found
}

/** Returns the row of a change; that of a deleted record contains its last state. */
function rowOf(change: Change, { command, commandOffset }: RecordEntry): RecordRow {
  const { kind, id, before, after } = change
  const company = companyOfChange(change, command.companyId)
  return { company, kind, id, record: after ?? before, deleted: after === null, commandOffset }
}
