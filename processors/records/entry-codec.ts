import type { Change } from '../../schema/records/record-kinds.ts'
import type { EntryChunk, RecordEntry } from '../../schema/commands/command-log.ts'
import { runSync, type Steps } from '../../shared/async/steps.ts'

/** Size of a chunk, about. A larger entry is cut; each chunk is written and read without a pause. */
const chunkBytes = 1_000_000

/** An entry as records of records.v1, to be written one after the other: as one, or in chunks where it is large. */
export function encodeEntry(entry: Omit<RecordEntry, 'chunk'>): readonly Buffer[] {
  return runSync(encodingEntry(entry))
}

/** As `encodeEntry`, in steps. */
export function* encodingEntry({ changes, ...head }: Omit<RecordEntry, 'chunk'>): Steps<readonly Buffer[]> {
  const cuts = yield* cut(changes)
  const values: Buffer[] = []
  for (const [index, texts] of cuts.entries()) {
    const chunkHead = cuts.length === 1 ? head : { ...head, chunk: { index, count: cuts.length } }
    values.push(valueOf(JSON.stringify(chunkHead), texts))
    yield
  }
  return values
}

function valueOf(headText: string, changes: readonly string[]): Buffer {
  return Buffer.from(`${headText.slice(0, -1)},"changes":[${changes.join(',')}]}`)
}

/** The changes as texts, by chunks; at least one. */
function* cut(changes: readonly Change[]): Steps<readonly (readonly string[])[]> {
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

/**
 * Joins the chunks of entries. Only the registrar writes, in transactions, so the chunks of an entry are consecutive;
 * repeated chunks, after a reader restarted at any offset, count once.
 */
export class EntryReader {
  #open: { readonly head: Omit<RecordEntry, 'changes' | 'chunk'>; readonly changes: Change[]; next: number } | null =
    null
  #lastWhole = -1

  /** The entry that ends with this record of records.v1; null if it is incomplete. */
  read(value: Buffer): RecordEntry | null {
    const { chunk, ...entry }: RecordEntry = JSON.parse(value.toString('utf8'))
    return chunk ? this.#join(entry, chunk) : entry
  }

  #join({ changes, ...head }: RecordEntry, { index, count }: EntryChunk): RecordEntry | null {
    if (head.commandOffset <= this.#lastWhole) return null
    if (index === 0) this.#open = { head, changes: [], next: 0 }
    const open = this.#open
    if (open?.head.commandOffset !== head.commandOffset || index > open.next)
      throw new Error(
        `Chunk ${index} of the entry of command ${head.commandOffset} does not follow what was read before`,
      )
    if (index < open.next) return null
    // Not by spreading: there may be more than a call takes arguments.
    for (const change of changes) open.changes.push(change)
    open.next++
    if (open.next < count) return null
    this.#open = null
    this.#lastWhole = head.commandOffset
    return { ...open.head, changes: open.changes }
  }
}
