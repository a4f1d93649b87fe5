import { unavailableValue } from '../../processors/timeline/values.ts'
import type { DataItem } from './devices.ts'
import { isUnavailable } from './words.ts'

/** Longest JSON of a set in a sample, in UTF-16 units: the limit of a sample's value. */
const maxValueLength = 16_384
/** Longest JSON of a stored set: a set above `maxValueLength` may become shorter. */
const maxSetLength = 65_536
/** Limit of all stored sets of a source. */
const maxTotalLength = 16_777_216

/** Value of a data set or table whose JSON is too long for a sample. */
export const tooLong = 'TOO_LONG'

/** Entries of a set, as JSON: values by key; null: the entry is removed. */
export type Entries = ReadonlyMap<string, string | null>

interface StoredSet {
  readonly entries: Map<string, string>
  length: number
  /** Whether the set was above the limit and is not stored: its entries are unknown until it is emptied. */
  isLost: boolean
}

/** The present entries of the data sets and tables of a source, in bounded memory. */
export class DataSets {
  /** By data item or its id. */
  readonly #sets = new Map<DataItem | string, StoredSet>()
  #length = 0

  /**
   * Applies a change such as `a=1 b` to a set and returns the JSON of all entries after it, in which an entry that the
   * change removes is null. `:TRIGGER` before the entries empties the set first. null: the text is not a set.
   */
  change(item: DataItem, text: string): string | null {
    if (isUnavailable(text)) {
      this.empty(item)
      return unavailableValue
    }
    const { isReset, entries } = splitTrigger(text)
    const changes = parseEntries(entries, item.form === 'table')
    return changes === null ? null : this.apply(item, changes, isReset)
  }

  /** Applies changed entries to a set, emptied before with `isReset`; returns its JSON like `change`. */
  apply(item: DataItem | string, changes: Entries, isReset: boolean): string {
    if (isReset) this.empty(item)
    const set = this.#setOf(item)
    this.#apply(set, changes)
    return set.isLost || set.length > maxValueLength ? tooLong : jsonOf(set.entries, changes)
  }

  /** Returns the JSON of the present entries, by key as JSON; null: they are unknown, because the set was too long. */
  entriesOf(item: DataItem | string): ReadonlyMap<string, string> | null {
    const set = this.#sets.get(item)
    return set?.isLost === true ? null : (set?.entries ?? new Map())
  }

  /** Sets the present entries, as `entriesOf` returned them. */
  restore(item: DataItem | string, entries: ReadonlyMap<string, string> | null): void {
    if (entries === null) this.#setOf(item).isLost = true
    else this.apply(item, entries, true)
  }

  #setOf(item: DataItem | string): StoredSet {
    const known = this.#sets.get(item)
    if (known) return known
    const set: StoredSet = { entries: new Map(), length: 0, isLost: false }
    this.#sets.set(item, set)
    return set
  }

  #apply(set: StoredSet, changes: Entries): void {
    if (set.isLost) return
    for (const [key, value] of changes) {
      const old = set.entries.get(key)
      if (value === null) set.entries.delete(key)
      else set.entries.set(key, value)
      this.#grow(set, lengthOf(key, value) - lengthOf(key, old ?? null))
    }
    if (set.length <= maxSetLength && this.#length <= maxTotalLength) return
    this.#clear(set)
    set.isLost = true
  }

  /** Removes all entries of a set. */
  empty(item: DataItem | string): void {
    const set = this.#sets.get(item)
    if (set === undefined) return
    this.#clear(set)
    set.isLost = false
  }

  #clear(set: StoredSet): void {
    set.entries.clear()
    this.#grow(set, -set.length)
  }

  #grow(set: StoredSet, by: number): void {
    set.length += by
    this.#length += by
  }
}

function lengthOf(key: string, value: string | null): number {
  return value === null ? 0 : key.length + value.length + 2
}

function jsonOf(entries: ReadonlyMap<string, string>, changes: Entries): string {
  const removed = [...changes].filter(([, value]) => value === null).map(([key]) => `${key}:null`)
  const json = `{${[...[...entries].map(([key, value]) => `${key}:${value}`), ...removed].join(',')}}`
  return json.length > maxValueLength ? tooLong : json
}

function splitTrigger(text: string): { readonly isReset: boolean; readonly entries: string } {
  if (!text.startsWith(':')) return { isReset: false, entries: text }
  const end = text.search(/\s/)
  return { isReset: true, entries: end < 0 ? '' : text.slice(end) }
}

/**
 * Parses entries `key=value`, separated by blanks. A value is a word, a number, or text in quotes or braces, in which
 * `\` escapes the closing character; the value of a table is entries in quotes or braces. A key without a value is removed.
 * Of repeated keys the first counts, as in the MTConnect agent.
 */
function parseEntries(text: string, isTable: boolean): Entries | null {
  const scanner = new Scanner(text)
  const entries = scanner.entries(isTable ? () => scanner.row() : () => scanner.value())
  return scanner.isComplete() ? entries : null
}

const closing: Readonly<Record<string, string>> = { '{': '}', '"': '"', "'": "'" }

class Scanner {
  readonly #text: string
  #at = 0
  #isInvalid = false

  constructor(text: string) {
    this.#text = text
  }

  /** Whether the whole text was read. */
  isComplete(): boolean {
    return !this.#isInvalid && this.#at >= this.#text.length
  }

  /** Reads entries up to the end or to another character than that of a key. */
  entries(value: () => string | null): Entries {
    const entries = new Map<string, string | null>()
    for (this.#skipBlanks(); ; this.#skipBlanks()) {
      const name = this.#word(/[^\s=|{}'"]+/y)
      if (name === '') return entries
      const key = JSON.stringify(name)
      const read = this.#skip('=') ? value() : null
      if (!entries.has(key)) entries.set(key, read)
    }
  }

  /** Reads a value as JSON; null: it is empty. */
  value(): string | null {
    const close = closing[this.#text[this.#at] ?? '']
    if (close !== undefined) return this.#enclosed(close)
    const word = this.#word(/[^\s"'{}]+/y)
    return word === '' ? null : jsonOfWord(word)
  }

  /** Reads the entries of a row of a table as JSON; null: there is no row. */
  row(): string | null {
    const first = this.#text[this.#at] ?? ' '
    const close = closing[first]
    if (close === undefined) return first.trim() === '' ? null : this.#fail()
    this.#at++
    const cells = this.entries(() => this.value())
    if (!this.#skip(close)) return this.#fail()
    return `{${[...cells].map(([key, value]) => `${key}:${value ?? 'null'}`).join(',')}}`
  }

  #enclosed(close: string): string | null {
    let value = ''
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      if (this.#text[at] === close) {
        this.#at = at + 1
        return JSON.stringify(value)
      }
      if (this.#text[at] === '\\' && this.#text[at + 1] === close) at++
      value += this.#text[at]
    }
    return this.#fail()
  }

  #fail(): null {
    this.#isInvalid = true
    return null
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #skipBlanks(): void {
    this.#word(/\s+/y)
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const word = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += word.length
    return word
  }
}

/** Converts a word to JSON: a number, if it is exact as a double, otherwise a string. */
export function jsonOfWord(word: string): string {
  const number = Number(word)
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(word) ? String(number) : JSON.stringify(word)
}
