import type { Store } from '../../clickhouse/client/store.ts'
import { createRecordsProjection } from '../../clickhouse/projections/records.ts'
import type { ProjectedPosition, RecordEntry } from '../../schema/commands/command-log.ts'

/** Writes entries to the tables of records, as the registrar does. `offset`: that of the last entry in records.v1. */
export async function projectRecords(
  store: Store,
  entries: readonly RecordEntry[],
  offset = entries.length - 1,
): Promise<void> {
  const last = entries.at(-1)
  if (last) await createRecordsProjection(store).project(entries, positionOf(last, offset))
}

/** Returns the position after an entry, as far as an entry determines it. */
export function positionOf({ commandOffset, command }: RecordEntry, offset: number): ProjectedPosition {
  return { commandOffset, offset, commandId: command.id, highestRefs: {}, outcomesFrom: 0 }
}
