import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { Store } from '../client/store.ts'
import { annotationsByMachine, partAdjustmentsByMachine } from '../tables/record-kinds.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { companyOfChange } from './company-of-change.ts'

/** The place of a record in a table that is sorted by machine and time, which a change has moved it away from. */
interface LeftPlace {
  readonly company: string
  readonly machineId: string
  readonly startMs: number
  readonly id: string
  readonly commandOffset: number
}

/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/**
 * Marks the places that records have left as deleted, in the tables that are sorted by machine and time. Idempotent: rows have the
 * version of the change. Rejects with a `StoreError`.
 */
export async function leavePlaces(store: Store, entries: readonly RecordEntry[]): Promise<void> {
  const moved = (kind: Change['kind']) =>
    entries.flatMap(entry =>
      entry.changes.filter(change => change.kind === kind).flatMap(each => placeLeft(each, entry)),
    )
  for (const [writer, places] of [
    [annotationPlaces, moved('annotation')],
    [adjustmentPlaces, moved('partAdjustment')],
  ] as const) {
    if (places.length > 0)
      await insertRows(store, writer, places, {
        signal: AbortSignal.timeout(withinMs + places.length),
        workload: 'records',
      })
  }
}

const place = {
  company: ({ company }: LeftPlace) => company,
  machine_id: ({ machineId }: LeftPlace) => machineId,
  start_ms: ({ startMs }: LeftPlace) => startMs,
  id: ({ id }: LeftPlace) => id,
  deleted: () => 1,
  command_offset: ({ commandOffset }: LeftPlace) => commandOffset,
}
const annotationPlaces: RowWriter<LeftPlace> = rowWriter(annotationsByMachine, place)
const adjustmentPlaces: RowWriter<LeftPlace> = rowWriter(partAdjustmentsByMachine, place)

function placeLeft(change: Change, { command, commandOffset }: RecordEntry): readonly LeftPlace[] {
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
