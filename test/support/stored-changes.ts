import { companyOf } from '../../schema/records/company-of.ts'
import type { ProjectedPosition } from '../../schema/commands/command-log.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { MemoryStart, StoredRecords } from '../../schema/commands/stored-records.ts'

const allInMemory: MemoryStart = {
  horizonMs: -Infinity,
  signInsAfterMs: new Map(),
  firstRuns: new Map(),
  storedOperations: null,
  settledFromMs: -Infinity,
}
const kindsWithChosenIds: ReadonlySet<string> = new Set(['downtimeReason', 'partAdjustmentType'])

/** Returns the records that a store with these changes contains, sorted by kind and id like its table. */
export function storedChanges(changes: readonly Change[], position: ProjectedPosition | null): StoredRecords {
  const rows = new Map<string, Change>()
  for (const { kind, id, before, after } of changes) {
    const record = after ?? before
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both states are of this kind
    const row = (after ? { kind, id, before: null, after } : { kind, id, before, after }) as Change
    rows.set(`${record ? companyOf(record) : ''} ${kind} ${id}`, row)
  }
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return {
    readPosition: async () => position,
    async readRecords(onPage) {
      onPage(sorted.filter(({ after }) => after !== null))
      return allInMemory
    },
    readDeletedRecords: async () => sorted.filter(({ kind, after }) => after === null && kindsWithChosenIds.has(kind)),
  }
}
