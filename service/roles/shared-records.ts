import type { Records } from '../../processors/records/records.ts'
import type { RecordWithKind } from '../../processors/records/record-tables.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { StoredRecords } from '../../schema/commands/stored-records.ts'
import type { ServiceContext } from '../context.ts'

const pageRecords = 1_000

/**
 * Returns the records of the store for a second reader in this process: the records that are in memory already, so that
 * both readers share the objects. The records in memory may be ahead of the position, as those in the store. If they are
 * behind, for example because the log has lost entries, the records are read from the store.
 */
export function shareRecords(
  stored: StoredRecords,
  { records, followed, projected }: Pick<ServiceContext, 'records' | 'followed' | 'projected'>,
): StoredRecords {
  let neededOffset = Infinity
  return {
    async readPosition() {
      const position = await stored.readPosition()
      if (!position) return null
      neededOffset = position.offset
      // The registrar that wrote these entries to the store may have ended before it announced them.
      projected.reach(position.commandOffset)
      await followed.catchUp()
      return position
    },
    readRecords: () => (records.offset < neededOffset ? stored.readRecords() : pagesOf(records)),
    readDeletedRecords: () => stored.readDeletedRecords(),
  }
}

async function* pagesOf(records: Records): AsyncGenerator<readonly Change[]> {
  let page: Change[] = []
  for (const each of records.allRecords()) {
    page.push(toChange(each))
    if (page.length < pageRecords) continue
    yield page
    page = []
  }
  yield page
}

function toChange({ kind, id, record }: RecordWithKind): Change {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record is of this kind
  return { kind, id, before: null, after: record } as Change
}
