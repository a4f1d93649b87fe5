import type { Log } from '../../log/log.ts'
import { readToEnd } from '../../log/read-to-end.ts'
import type { ProjectedPosition } from '../../schema/commands/command-log.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { type AnyRecord, type Change, changeBetween } from '../../schema/records/record-kinds.ts'
import type { MemoryStart, StoredRecords } from '../../schema/commands/stored-records.ts'
import { topics } from '../../schema/topics.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { sortInSteps } from '../../shared/async/sort-in-steps.ts'
import { EntryReader } from './entry-codec.ts'
import { byText } from './sorted-by-machine.ts'

/** Receives records in the order of their creation. */
export interface RestoredRecords {
  restoreFrom(start: MemoryStart): void
  restore(change: Change): void
}

/**
 * Reads the state of the records after an entry of records.v1: that of the store's position, or of an earlier entry at
 * `offset`. Restores each record; returns the position of that entry, after which the log continues; null if
 * the store does not follow the log, so that the log must be read from its beginning.
 *
 * The store may contain later entries, completely or partly, and more of them while it is read. So each record that a
 * later entry of the log changes is set to its state before its first such change.
 */
export async function loadRecords(
  log: Log,
  stored: StoredRecords,
  target: RestoredRecords,
  offset = Infinity,
): Promise<ProjectedPosition | null> {
  const position = await stored.readPosition()
  if (!position || offset < 0) return null
  const changes: Change[] = []
  target.restoreFrom(
    await stored.readRecords(page => {
      for (const change of page) changes.push(change)
    }),
  )
  await runCooperatively(restoreAll(await runCooperatively(sortInSteps(changes, byCreation)), target))
  const from = Math.min(offset, position.offset)
  const later = await readFirstChanges(log, from)
  await runCooperatively(restoreAll(later.changes, target))
  if (from === position.offset) return position
  return { ...position, offset: from, commandOffset: (later.commandOffset ?? position.commandOffset + 1) - 1 }
}

function* restoreAll(changes: Iterable<Change>, target: RestoredRecords): Steps<void> {
  for (const change of changes) {
    target.restore(change)
    yield
  }
}

interface FirstChanges {
  /** The reverse of the first change of each changed record. */
  readonly changes: Iterable<Change>
  /** `commandOffset` of the first entry; null: there is none. */
  readonly commandOffset: number | null
}

/** Reads the first change of each record in the entries after `offset`. */
async function readFirstChanges(log: Log, offset: number): Promise<FirstChanges> {
  const reader = new EntryReader()
  const changes = new Map<string, Change>()
  let commandOffset: number | null = null
  await readToEnd(log, {
    topic: topics.records,
    from: [offset + 1],
    onBatch({ records }) {
      for (const { value } of records) {
        const entry = reader.read(value)
        if (!entry) continue
        commandOffset ??= entry.commandOffset
        for (const { kind, id, before, after } of entry.changes) {
          const record = after ?? before
          const key = `${kind} ${record ? companyOf(record) : ''} ${id}`
          if (!changes.has(key)) changes.set(key, changeBetween(kind, id, after, before))
        }
      }
    },
  })
  return { changes: changes.values(), commandOffset }
}

/**
 * Sorts records by creation, as far as they contain it: by ref, then by `createdAt`. Companies are first, because their
 * settings determine which records are in force.
 */
function byCreation(a: Change, b: Change): number {
  const companyFirst = Number(b.kind === 'company') - Number(a.kind === 'company')
  return companyFirst || refOf(a.after) - refOf(b.after) || byText(createdAtOf(a.after), createdAtOf(b.after))
}

function refOf(record: AnyRecord | null): number {
  return record && 'ref' in record ? record.ref : 0
}

function createdAtOf(record: AnyRecord | null): string {
  return record && 'createdAt' in record ? record.createdAt : ''
}
