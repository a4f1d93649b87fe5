import type { Records } from '../../processors/records/records.ts'
import type { RecordWithKind } from '../../processors/records/record-tables.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { StoredRecords } from '../../schema/commands/stored-records.ts'
import type { ReachedOffset } from '../../shared/async/reached-offset.ts'

const pageRecords = 1_000

/**
 * Returns the records of the store for a second reader in this process: the records that are in memory already, so that
 * both readers share the objects, and only the deleted ones from the store. The records in memory may be ahead of the
 * position, as those in the store.
 */
export function shareRecords(stored: StoredRecords, records: Records, projected: ReachedOffset): StoredRecords {
  return {
    async readPosition() {
      const position = await stored.readPosition()
      if (!position) return null
      // The registrar that wrote these entries to the store may have ended before it announced them.
      projected.reach(position.commandOffset)
      await records.waitFor(position.offset)
      return position
    },
    async *readRecords() {
      let page: Change[] = []
      for (const each of records.allRecords()) {
        page.push(toChange(each))
        if (page.length < pageRecords) continue
        yield page
        page = []
      }
      yield page
    },
    readDeletedRecords: () => stored.readDeletedRecords(),
  }
}

function toChange({ kind, id, record }: RecordWithKind): Change {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record is of this kind
  return { kind, id, before: null, after: record } as Change
}
