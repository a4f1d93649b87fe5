import type { Records } from '../../processors/records/records.ts'
import { type Change, changeBetween } from '../../schema/records/record-kinds.ts'
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
    async readRecords(onPage) {
      if (records.offset < neededOffset) return stored.readRecords(onPage)
      for (const page of pagesOf(records)) onPage(page)
      return records.memoryStart
    },
    readDeletedRecords: () => stored.readDeletedRecords(),
  }
}

function* pagesOf(records: Records): Generator<readonly Change[]> {
  let page: Change[] = []
  for (const { kind, id, record } of records.allRecords()) {
    page.push(changeBetween(kind, id, null, record))
    if (page.length < pageRecords) continue
    yield page
    page = []
  }
  yield page
}
