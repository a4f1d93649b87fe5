import type { Change } from '../../schema/records/record-kinds.ts'
import type { EntryChunk, ProjectedMark, RecordEntry } from '../../schema/commands/command-log.ts'
import type { Steps } from '../../shared/async/steps.ts'

/**
 * Approximate size of a chunk, bytes. A larger entry is split, because a chunk is encoded and parsed without yielding
 * to the event loop.
 */
const chunkBytes = 1_000_000

/** Serializes an entry as consecutive records of records.v1: one record, or several chunks if the entry is large. */
export function* encodeEntry({ changes, ...head }: Omit<RecordEntry, 'chunk'>): Steps<readonly Buffer[]> {
  const chunks = yield* splitIntoChunks(changes)
  const values: Buffer[] = []
  for (const [index, texts] of chunks.entries()) {
    const chunkHead = chunks.length === 1 ? head : { ...head, chunk: { index, count: chunks.length } }
    values.push(toRecordValue(JSON.stringify(chunkHead), texts))
    yield
  }
  return values
}

function toRecordValue(headText: string, changes: readonly string[]): Buffer {
  return Buffer.from(`${headText.slice(0, -1)},"changes":[${changes.join(',')}]}`)
}

/** Returns the changes as JSON, grouped by chunk; at least one chunk. */
function* splitIntoChunks(changes: readonly Change[]): Steps<readonly (readonly string[])[]> {
  let chunk: string[] = []
  const chunks = [chunk]
  let bytes = 0
  for (const change of changes) {
    const text = JSON.stringify(change)
    const size = Buffer.byteLength(text) + 1
    if (bytes > 0 && bytes + size > chunkBytes) {
      chunks.push((chunk = []))
      bytes = 0
    }
    chunk.push(text)
    bytes += size
    yield
  }
  return chunks
}

/** Serializes a mark as a record of records.v1. */
export function encodeProjectedMark(mark: ProjectedMark): Buffer {
  return Buffer.from(JSON.stringify(mark))
}

/** Returns the id of the command whose entry a record of records.v1 contains, completely or in part; null for a mark. */
export function commandIdOf(value: Buffer): string | null {
  const read: RecordEntry | ProjectedMark = JSON.parse(value.toString('utf8'))
  return 'projectedOffset' in read ? null : read.command.id
}

/**
 * Joins the chunks of entries. The chunks of an entry are consecutive, because only the registrar writes them, in
 * transactions. Chunks that are read repeatedly, after a reader restarted at any offset, are skipped.
 */
export class EntryReader {
  #open: { readonly head: Omit<RecordEntry, 'changes' | 'chunk'>; readonly changes: Change[]; next: number } | null =
    null
  #lastComplete = -1
  #projectedOffset = -1

  /** The `projectedOffset` of the last mark that was read; -1 if there was none. */
  get projectedOffset(): number {
    return this.#projectedOffset
  }

  /** Returns the entry that this record of records.v1 completes; null if it is incomplete or the record is a mark. */
  read(value: Buffer): RecordEntry | null {
    const read: RecordEntry | ProjectedMark = JSON.parse(value.toString('utf8'))
    if ('projectedOffset' in read) {
      this.#projectedOffset = read.projectedOffset
      return null
    }
    const { chunk, ...entry } = read
    return chunk ? this.#join(entry, chunk) : entry
  }

  #join({ changes, ...head }: RecordEntry, { index, count }: EntryChunk): RecordEntry | null {
    if (head.commandOffset <= this.#lastComplete) return null
    if (index === 0) this.#open = { head, changes: [], next: 0 }
    const open = this.#open
    if (open?.head.commandOffset !== head.commandOffset || index > open.next)
      throw new Error(`Chunks before chunk ${index} of the entry of command ${head.commandOffset} are missing`)
    if (index < open.next) return null
    // No spread: there may be more changes than a function call allows arguments.
    for (const change of changes) open.changes.push(change)
    open.next++
    if (open.next < count) return null
    this.#open = null
    this.#lastComplete = head.commandOffset
    return { ...open.head, changes: open.changes }
  }
}
