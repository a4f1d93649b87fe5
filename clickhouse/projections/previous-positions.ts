import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { Store } from '../client/store.ts'
import { annotationsByMachine, partAdjustmentsByMachine } from '../tables/record-kinds.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { companyOfChange } from './company-of-change.ts'

/** Previous position of a record in a table that is sorted by machine and time, after a change has moved the record. */
interface PreviousPosition {
  readonly company: string
  readonly machineId: string
  readonly startMs: number
  readonly id: string
  readonly commandOffset: number
}

/** Timeout of an insert, ms; the caller retries it. */
const timeoutMs = 10_000

/**
 * Marks the previous positions of moved records as deleted, in the tables that are sorted by machine and time.
 * Idempotent: rows have the version of the change. Rejects with a `StoreError`.
 */
export async function deletePreviousPositions(store: Store, entries: readonly RecordEntry[]): Promise<void> {
  const movedFrom = (kind: Change['kind']) =>
    entries.flatMap(entry =>
      entry.changes.filter(change => change.kind === kind).flatMap(each => findPreviousPosition(each, entry)),
    )
  for (const [writer, positions] of [
    [annotationWriter, movedFrom('annotation')],
    [adjustmentWriter, movedFrom('partAdjustment')],
  ] as const) {
    if (positions.length > 0)
      await insertRows(store, writer, positions, {
        signal: AbortSignal.timeout(timeoutMs + positions.length),
        workload: 'records',
      })
  }
}

const place = {
  company: ({ company }: PreviousPosition) => company,
  machine_id: ({ machineId }: PreviousPosition) => machineId,
  start_ms: ({ startMs }: PreviousPosition) => startMs,
  id: ({ id }: PreviousPosition) => id,
  deleted: () => 1,
  command_offset: ({ commandOffset }: PreviousPosition) => commandOffset,
}
const annotationWriter: RowWriter<PreviousPosition> = rowWriter(annotationsByMachine, place)
const adjustmentWriter: RowWriter<PreviousPosition> = rowWriter(partAdjustmentsByMachine, place)

function findPreviousPosition(change: Change, { command, commandOffset }: RecordEntry): readonly PreviousPosition[] {
  if (change.kind !== 'annotation' && change.kind !== 'partAdjustment') return []
  const { id, before, after } = change
  if (before === null || after === null) return []
  const startAt = startOf(before)
  if (before.machineId === after.machineId && startAt === startOf(after)) return []
  const company = companyOfChange(change, command.companyId)
  return [{ company, machineId: before.machineId, startMs: Date.parse(startAt), id, commandOffset }]
}

function startOf(record: AnnotationRecord | PartAdjustmentRecord): string {
  return 'startAt' in record ? record.startAt : record.adjustmentTime
}
