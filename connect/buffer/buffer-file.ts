import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import type { KeptNote } from '../source/note.ts'
import { batchLimits, joinTexts, type SampleText } from './batches.ts'
import {
  type BufferRecord,
  encodeNote,
  encodeRecord,
  headBytes,
  isSound,
  kinds,
  readHead,
  readNote,
  type RecordHead,
} from './buffer-record.ts'

const sync = promisify(fdatasync)

const { O_APPEND, O_CREAT, O_RDWR, O_TRUNC } = constants
/** Flags of a new file with the mode `a+`. */
const newFile = O_APPEND | O_CREAT | O_RDWR | O_TRUNC
/** Sent bytes at the start of a file from which it is worth to copy the rest. */
const copyFromBytes = 1 << 20
/** Limit of the notes of a file: an older one is forgotten. */
const maxNotes = 10_000

/** The oldest records of a file that are sent together. */
export interface BufferBatch {
  /** JSON of the samples, joined by commas, or the bytes of one body. */
  readonly json: Buffer
  readonly isBody: boolean
  readonly count: number
  /** Bytes in the file. */
  readonly bytes: number
}

/**
 * A queue of samples in a file, which a crash of the process leaves complete, except for a torn record at the end. The
 * first record names the owner. Each method but `sync` is synchronous: the records are in the memory of the system. A note
 * is in the file until it is forgotten, also after its samples are removed.
 */
export class BufferFile {
  readonly path: string
  /** Text that was given when the file was created. */
  readonly owner: string
  #descriptor: number
  #startAt = 0
  #readAt = 0
  #size = 0
  #samples = 0
  #notes: (KeptNote & { at: number })[] = []
  #isDirty = false
  /** Whether a part of a record that was not written may follow the last one. */
  #isTorn = false
  #syncing: Promise<void> = Promise.resolve()

  /**
   * Creates a file, or opens that of an owner. Throws a `RangeError` if an existing file names no owner, and an error of
   * the system, such as `ENOSPC`.
   */
  constructor(path: string, owner: string | null) {
    this.path = path
    this.#descriptor = openSync(path, 'a+')
    try {
      this.#size = fstatSync(this.#descriptor).size
      this.owner = this.#readOwner() ?? this.#begin(owner)
      this.#startAt = headBytes + Buffer.byteLength(this.owner)
      this.#readAt = this.#startAt
      this.#recover()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Size of the file. */
  get bytes(): number {
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#readAt === this.#size
  }

  /** Samples that are not removed; a body counts as one. */
  get samples(): number {
    return this.#samples
  }

  /** Time of the oldest record, UTC ms; null: the file is empty or cannot be read. */
  get oldestMs(): number | null {
    try {
      return this.isEmpty ? null : (this.#readHead(this.#readAt)?.atMs ?? null)
    } catch {
      return null
    }
  }

  /** Notes that are not forgotten, oldest first. */
  get notes(): readonly KeptNote[] {
    return this.#notes
  }

  /** Bytes that a record needs in the file. */
  static bytesOf({ json, note }: Pick<BufferRecord, 'json' | 'note'>): number {
    return headBytes + json.length + (note === undefined ? 0 : headBytes + encodeNote(note).length)
  }

  /** Appends a record; if this fails, such as on a full disk, the file stays as it was. */
  append({ json, isBody, count, atMs, note }: BufferRecord): void {
    const record = encodeRecord({ kind: isBody ? kinds.body : kinds.samples, count, atMs }, json)
    const at = this.#size + record.length
    // One write: a crash leaves no samples without their note.
    if (note === undefined) this.#write(record)
    else this.#write(Buffer.concat([record, encodeRecord({ kind: kinds.note, count: 0, atMs }, encodeNote(note))]))
    this.#samples += isBody ? 1 : count
    if (note !== undefined) this.#keep({ ...note, atMs, at })
  }

  /** Forgets the notes up to a number. */
  forget(number: number): void {
    const kept = this.#notes.findIndex(note => note.number > number)
    if (kept === 0 || this.#notes.length === 0) return
    this.#notes = kept < 0 ? [] : this.#notes.slice(kept)
    this.#free()
  }

  /**
   * Returns the oldest records up to the limits of a batch, perhaps none with samples, or the oldest body; null: there are
   * no records. Throws a `RangeError` if the file has lost records, and an error of the system.
   */
  peek(): BufferBatch | null {
    const texts: SampleText[] = []
    let [at, count, length] = [this.#readAt, 0, 0]
    while (at < this.#size) {
      const head = this.#readHead(at)
      if (head === null) throw new RangeError(`${this.path} was changed by another process`)
      const isFull = count + head.count > batchLimits.samples || length + head.length > batchLimits.bytes
      if (texts.length > 0 && (isFull || head.kind === kinds.body)) break
      const json = this.#readContent(at, head)
      at += headBytes + head.length
      if (head.kind === kinds.note) continue
      if (head.kind === kinds.body) return { json, isBody: true, count: 1, bytes: at - this.#readAt }
      texts.push({ json, count: head.count })
      count += head.count
      length += head.length
    }
    return at === this.#readAt ? null : { json: joinTexts(texts), isBody: false, count, bytes: at - this.#readAt }
  }

  /** Removes the records of the last `peek`, also if it throws: then a later removal frees their space. */
  remove({ bytes, count }: BufferBatch): void {
    this.#readAt += bytes
    this.#samples -= count
    this.#free()
  }

  /** Resolves when the records are on the disk. */
  async sync(): Promise<void> {
    if (!this.#isDirty) return
    this.#isDirty = false
    this.#syncing = sync(this.#descriptor)
    await this.#syncing
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /**
   * Closes a file whose samples are all removed, and deletes it if it has no notes. With notes, only they remain; if the disk
   * does not accept them, the next process sends some samples again.
   */
  closeEmpty(): void {
    if (this.#notes.length > 0) this.#keepNotes()
    this.close()
    if (this.#notes.length === 0) unlinkSync(this.path)
  }

  #keepNotes(): void {
    const old = this.#descriptor
    const notes = this.#notes.map(note =>
      encodeRecord({ kind: kinds.note, count: 0, atMs: note.atMs }, encodeNote(note)),
    )
    try {
      this.#descriptor = this.#replace(Buffer.concat([this.#read(0, this.#startAt), ...notes]))
    } catch {
      return
    }
    closeSync(old)
  }

  #readOwner(): string | null {
    const first = this.#readHead(0)
    if (first?.kind !== kinds.owner || !this.#isSound(0, first)) return null
    return this.#readContent(0, first).toString()
  }

  /** Begins the file of an owner. */
  #begin(owner: string | null): string {
    if (owner === null) throw new RangeError(`${this.path} is not a buffer of samples`)
    this.#truncate(0)
    this.#write(encodeRecord({ kind: kinds.owner, count: 0, atMs: 0 }, Buffer.from(owner)))
    return owner
  }

  /** Finds the end of the last complete record, and removes what follows. */
  #recover(): void {
    let at = this.#startAt
    for (let head = this.#readHead(at); head !== null; head = this.#readHead(at)) {
      if (!this.#isSound(at, head)) break
      if (head.kind === kinds.note) this.#keep({ ...readNote(this.#readContent(at, head)), atMs: head.atMs, at })
      else this.#samples += head.kind === kinds.body ? 1 : head.count
      at += headBytes + head.length
      // Notes without samples need no batch.
      if (this.#samples === 0) this.#readAt = at
    }
    if (at < this.#size) this.#truncate(at)
  }

  #isSound(at: number, { length }: RecordHead): boolean {
    return isSound(this.#read(at, headBytes + length))
  }

  /** null: there is no complete record. */
  #readHead(at: number): RecordHead | null {
    if (at + headBytes > this.#size) return null
    const head = readHead(this.#read(at, headBytes))
    return at + headBytes + head.length > this.#size ? null : head
  }

  #readContent(at: number, { length }: RecordHead): Buffer {
    return this.#read(at + headBytes, length)
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    const read = readSync(this.#descriptor, bytes, 0, length, at)
    if (read < length) throw new RangeError(`${this.path} was changed by another process`)
    return bytes
  }

  #write(bytes: Buffer): void {
    if (this.#isTorn) this.#truncate(this.#size)
    try {
      writeAll(this.#descriptor, bytes)
    } catch (error) {
      this.#isTorn = true
      this.#truncate(this.#size)
      throw error
    }
    this.#size += bytes.length
    this.#isDirty = true
  }

  #keep(note: KeptNote & { at: number }): void {
    this.#notes.push(note)
    if (this.#notes.length > maxNotes) this.#notes.shift()
  }

  /** Frees the space of records that are removed. */
  #free(): void {
    const keptFrom = Math.min(this.#readAt, this.#notes[0]?.at ?? Infinity)
    if (keptFrom === this.#size) this.#truncate(this.#startAt)
    else if (keptFrom >= copyFromBytes && keptFrom * 2 >= this.#size) this.#copyFrom(keptFrom)
  }

  #truncate(size: number): void {
    ftruncateSync(this.#descriptor, size)
    this.#isTorn = false
    this.#size = size
    this.#readAt = Math.min(this.#readAt, size)
    this.#isDirty = true
  }

  /** Replaces the file by a copy without the records before one. If this fails, a later removal tries it again. */
  #copyFrom(keptFrom: number): void {
    const old = this.#descriptor
    const removed = keptFrom - this.#startAt
    try {
      const kept = this.#read(keptFrom, this.#size - keptFrom)
      this.#descriptor = this.#replace(Buffer.concat([this.#read(0, this.#startAt), kept]))
    } catch {
      return
    }
    this.#syncing
      .catch(() => undefined)
      .then(() => closeSync(old))
      .catch(() => undefined)
    this.#isTorn = false
    this.#readAt -= removed
    this.#size -= removed
    for (const note of this.#notes) note.at -= removed
    this.#isDirty = true
  }

  /** Replaces the file by one with other bytes; returns its descriptor. */
  #replace(bytes: Buffer): number {
    const copy = `${this.path}.copy`
    const descriptor = openSync(copy, newFile)
    try {
      writeAll(descriptor, bytes)
      fdatasyncSync(descriptor)
      renameSync(copy, this.path)
      return descriptor
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
}
