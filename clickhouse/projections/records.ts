import type { Change, RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { Store } from '../client/store.ts'
import {
  annotationsIn,
  credentialsIn,
  deliveriesIn,
  incidentsIn,
  jobOperationsIn,
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
import { positionKind } from './stored-records.ts'

/** The records as tables for SQL queries. Only the registrar writes them. */
export interface RecordsProjection {
  /**
   * Writes the changes of entries, after their rows in all other tables, and the position of the last entry. Idempotent:
   * rows have the entry's `commandOffset` as version. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], position: ProjectedPosition): Promise<void>
}

/** Timeout of an insert, ms; the caller retries it. */
const timeoutMs = 10_000

export function createRecordsProjection(store: Store): RecordsProjection {
  const insert = async (found: readonly RecordRow[]): Promise<void> => {
    const signal = AbortSignal.timeout(timeoutMs + found.length)
    // Copies first: a row in the table of records means that its entry is complete in the store.
    const withCopies = found.filter(({ kind }) => copies[kind])
    for (const [into, rows] of groupBy(withCopies, ({ kind }) => copies[kind] ?? recordTable))
      await insertRows(store, { ...writer, table: into.name }, rows, { signal, workload: 'records' })
    const others = found.filter(({ kind }) => kind !== 'delivery')
    await insertRows(store, writer, others, { signal, workload: 'records' })
  }
  return {
    async project(entries, { commandOffset, ...state }) {
      // First, for the same reason as the copies of records.
      await deletePreviousPositions(store, entries)
      const found: RecordRow[] = []
      const slice = new TimeSlice()
      for (const entry of entries)
        for (const change of entry.changes) {
          found.push(rowOf(change, entry))
          if (slice.isOver) await slice.next()
        }
      if (found.length === 0) return
      // Within the same insert, so that the position costs no insert of its own.
      found.push(positionRow(commandOffset, state))
      await insert(found)
    },
  }
}

/**
 * Writes that the store does not follow the log that a new log replaces: `commandOffset` is above all of the old log.
 * Rejects with a `StoreError`.
 */
export async function resetPosition(store: Store, commandOffset: number): Promise<void> {
  await insertRows(store, writer, [positionRow(commandOffset, null)])
}

/** A row of the table of records. */
interface RecordRow {
  /** Id of the company; '' for records of the installation. */
  readonly company: string
  readonly kind: RecordKind | typeof positionKind
  readonly id: string
  readonly record: RecordKinds[RecordKind] | PositionState | null
  readonly deleted: boolean
  readonly commandOffset: number
}

type PositionState = Omit<ProjectedPosition, 'commandOffset'>

function positionRow(commandOffset: number, state: PositionState | null): RecordRow {
  return { company: '', kind: positionKind, id: '', record: state, deleted: false, commandOffset }
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
  jobOperation: jobOperationsIn,
  incident: incidentsIn,
  // Only there: their retention is limited.
  delivery: deliveriesIn,
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

/** Returns the row of a change; that of a deleted record contains its last state. */
function rowOf(change: Change, { command, commandOffset }: RecordEntry): RecordRow {
  const { kind, id, before, after } = change
  const company = companyOfChange(change, command.companyId)
  return { company, kind, id, record: after ?? before, deleted: after === null, commandOffset }
}
