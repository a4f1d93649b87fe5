import type { Log } from '../../log/log.ts'
import { readToEnd } from '../../log/read-to-end.ts'
import type { ProjectedPosition } from '../../schema/commands/command-log.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import { type Change, changeBetween } from '../../schema/records/record-kinds.ts'
import type { MemoryStart, StoredRecords } from '../../schema/commands/stored-records.ts'
import { topics } from '../../schema/topics.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { sortInSteps } from '../../shared/async/sort-in-steps.ts'
import { EntryReader } from './entry-codec.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

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
  const read: CreatedRecord[] = []
  target.restoreFrom(
    await stored.readRecords(page => {
      for (const change of page) read.push(createdRecord(change))
    }),
  )
  await runCooperatively(restoreAll(changesOf(await runCooperatively(sortInSteps(read, byCreation))), target))
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

/** A record with its order of creation, as far as the record contains it: reading it once makes the sort faster. */
interface CreatedRecord {
  readonly change: Change
  readonly isCompany: boolean
  readonly ref: number
  readonly createdAt: string
}

function createdRecord(change: Change): CreatedRecord {
  const record = change.after
  const ref = record && 'ref' in record ? record.ref : 0
  const createdAt = record && 'createdAt' in record ? record.createdAt : ''
  return { change, isCompany: change.kind === 'company', ref, createdAt }
}

/** Sorts by ref, then by `createdAt`. Companies are first, because their settings determine which records are in force. */
function byCreation(a: CreatedRecord, b: CreatedRecord): number {
  if (a.isCompany !== b.isCompany) return a.isCompany ? -1 : 1
  return a.ref - b.ref || compareTexts(a.createdAt, b.createdAt)
}

function* changesOf(created: readonly CreatedRecord[]): Generator<Change> {
  for (const { change } of created) yield change
}
