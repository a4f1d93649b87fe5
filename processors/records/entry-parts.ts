import type { Change, Part, RecordEntry } from '../../schema/records.ts'

/** Larger entries are cut, into parts of about this size. */
const wholeBytes = 7_500_000
const partBytes = 1_000_000

/** An entry as records of records.v1, to be written one after the other: as one, or in parts where it is large. */
export function encodeEntry({ changes, ...head }: Omit<RecordEntry, 'part'>): readonly Buffer[] {
  const texts = changes.map(change => JSON.stringify(change))
  const headText = JSON.stringify(head)
  const cuts = cut(texts, headText.length)
  if (cuts.length <= 1) return [valueOf(headText, texts)]
  return cuts.map((part, index) => valueOf(JSON.stringify({ ...head, part: { index, count: cuts.length } }), part))
}

function valueOf(headText: string, changes: readonly string[]): Buffer {
  return Buffer.from(`${headText.slice(0, -1)},"changes":[${changes.join(',')}]}`)
}

/** A single part, unless all of it is too large for one. */
function cut(texts: readonly string[], headLength: number): readonly (readonly string[])[] {
  const sizes = texts.map(text => Buffer.byteLength(text) + 1)
  if (headLength + sizes.reduce((sum, size) => sum + size, 0) <= wholeBytes) return [texts]
  const parts: string[][] = [[]]
  let bytes = 0
  for (const [index, text] of texts.entries()) {
    const size = sizes[index] ?? 0
    if (bytes > 0 && bytes + size > partBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(text)
    bytes += size
  }
  return parts
}

/**
 * Puts entries together again. Only the registrar writes, in transactions, so the parts of one entry follow each other; parts that
 * come again, from wherever a reader starts anew, are taken once.
 */
export class EntryReader {
  #open: { readonly head: Omit<RecordEntry, 'changes' | 'part'>; readonly changes: Change[]; next: number } | null =
    null
  #lastWhole = -1

  /** The entry that ends with this record of records.v1; null where more of it is to come. */
  read(value: Buffer): RecordEntry | null {
    const { part, ...entry }: RecordEntry = JSON.parse(value.toString('utf8'))
    return part ? this.#join(entry, part) : entry
  }

  #join({ changes, ...head }: RecordEntry, { index, count }: Part): RecordEntry | null {
    if (head.commandOffset <= this.#lastWhole) return null
    if (index === 0) this.#open = { head, changes: [], next: 0 }
    const open = this.#open
    if (open?.head.commandOffset !== head.commandOffset || index > open.next)
      throw new Error(
        `Part ${index} of the entry of command ${head.commandOffset} does not follow what was read before`,
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
