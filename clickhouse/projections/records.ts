import { companyOf } from '../../schema/records/company-of.ts'
import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { Store } from '../client/store.ts'
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
import { readHighestOffset } from './highest-offset.ts'
import { leavePlaces } from './left-places.ts'
import type { RecordsView } from './records-view.ts'

/** The records as tables for SQL queries; only the registrar writes them. */
export interface RecordsProjection {
  /**
   * Idempotent: rows are versioned by the entry's `commandOffset`. With a rebuild every record is written again, as `records`, which
   * hold the entries, have it now. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Pick<RecordsView, 'everything'>): Promise<void>
  /** `commandOffset` up to which every entry is in the store; -1: none. */
  projectedTo(): Promise<number>
}

/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/** Bound of one insert, where a rebuild writes all records again. */
const rowsPerInsert = 50_000

export function createRecordsProjection(store: Store): RecordsProjection {
  const insert = async (found: readonly RecordRow[]): Promise<void> => {
    if (found.length === 0) return
    const signal = AbortSignal.timeout(withinMs + found.length)
    // The copies first: what is in the table of records counts as done.
    const copied = found.filter(({ kind }) => copies[kind])
    for (const [into, rows] of groupBy(copied, ({ kind }) => copies[kind] ?? recordTable))
      await insertRows(store, { ...writer, table: into.name }, rows, { signal, workload: 'records' })
    await insertRows(store, writer, found, { signal, workload: 'records' })
  }
  return {
    async project(entries, records) {
      // First, as the copies of records.
      await leavePlaces(store, entries)
      // In one insert, however many there are: `projectedTo` takes an entry for stored where any of it is.
      let found: RecordRow[] = []
      const slice = new TimeSlice()
      for (const entry of entries) {
        const rebuild = entry.changes.find(isNewRebuild)
        if (rebuild) {
          // When a row is visible, all earlier rows are stored.
          await insert(found)
          found = []
          for (const again of rowsAgain(rebuild, entry, records)) await insert(again)
        }
        for (const change of entry.changes) {
          found.push(rowOf(change, entry))
          if (slice.isOver) await slice.next()
        }
      }
      await insert(found)
    },

    projectedTo: () => readHighestOffset(store, recordTable, { signal: AbortSignal.timeout(withinMs) }),
  }
}

/** A record as the table keeps it. */
interface RecordRow {
  /** Id of the company; '' for a record of none. */
  readonly company: string
  readonly kind: RecordKind
  readonly id: string
  readonly record: RecordKinds[RecordKind] | null
  readonly deleted: boolean
  readonly commandOffset: number
}

/** Where views make a copy of records of a kind. */
const copies: Readonly<Partial<Record<RecordKind, Table>>> = {
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

/** Every record of the company, or of all, as of the command before: as new as any row of them, and not yet of this one. */
function* rowsAgain(
  { after: rebuild }: Change,
  { commandOffset }: RecordEntry,
  records: Pick<RecordsView, 'everything'>,
): Generator<readonly RecordRow[]> {
  const companyId = rebuild ? companyOf(rebuild) : ''
  let found: RecordRow[] = []
  for (const { kind, id, record } of records.everything()) {
    const company = kind === 'company' ? id : companyOf(record)
    if (companyId !== '' && company !== companyId) continue
    found.push({ company, kind, id, record, deleted: false, commandOffset: Math.max(0, commandOffset - 1) })
    if (found.length < rowsPerInsert) continue
    yield found
    found = []
  }
  yield found
}

/** A deleted record keeps what it was last. */
function rowOf(change: Change, { command, commandOffset }: RecordEntry): RecordRow {
  const { kind, id, before, after } = change
  const company = companyOfChange(change, command.companyId)
  return { company, kind, id, record: after ?? before, deleted: after === null, commandOffset }
}
