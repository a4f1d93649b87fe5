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
import { crc32 } from 'node:zlib'
import { batchLimits, joinTexts, type SampleText } from './batches.ts'

const sync = promisify(fdatasync)

/** Bytes before the content of a record: length, checksum, kind, number of samples, time. */
const headBytes = 21
const kinds = { owner: 0, samples: 1, body: 2 } as const
const { O_APPEND, O_CREAT, O_RDWR, O_TRUNC } = constants
/** Flags of a new file with the mode `a+`. */
const newFile = O_APPEND | O_CREAT | O_RDWR | O_TRUNC
/** Sent bytes at the start of a file from which it is worth to copy the rest. */
const copyFromBytes = 1 << 20

interface Head {
  /** Bytes of the content. */
  readonly length: number
  readonly kind: number
  readonly count: number
  readonly atMs: number
}

/** Samples, or a body of `POST /ingest/samples`, to append. */
export interface BufferRecord extends SampleText {
  readonly isBody: boolean
  /** Time of receipt, UTC ms. */
  readonly atMs: number
}

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
 * first record names the owner. Each method but `sync` is synchronous: the records are in the memory of the system.
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

  /** Bytes that a record needs in the file. */
  static bytesOf({ json }: Pick<BufferRecord, 'json'>): number {
    return headBytes + json.length
  }

  /** Appends a record; if this fails, such as on a full disk, the file stays as it was. */
  append({ json, isBody, count, atMs }: BufferRecord): void {
    this.#write({ kind: isBody ? kinds.body : kinds.samples, count, atMs }, json)
    this.#samples += isBody ? 1 : count
  }

  /**
   * Returns the oldest records up to the limits of a batch, or the oldest body; null: there are none. Throws a `RangeError`
   * if the file has lost records, and an error of the system.
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
      if (head.kind === kinds.body) return { json, isBody: true, count: 1, bytes: at - this.#readAt }
      texts.push({ json, count: head.count })
      count += head.count
      length += head.length
    }
    return texts.length === 0 ? null : { json: joinTexts(texts), isBody: false, count, bytes: at - this.#readAt }
  }

  /** Removes the records of the last `peek`, also if it throws: then a later removal frees their space. */
  remove({ bytes, count }: BufferBatch): void {
    this.#readAt += bytes
    this.#samples -= count
    if (this.isEmpty) this.#truncate(this.#startAt)
    else if (this.#readAt >= copyFromBytes && this.#readAt * 2 >= this.#size) this.#copyRest()
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

  /** Closes and deletes the file. */
  delete(): void {
    this.close()
    unlinkSync(this.path)
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
    this.#write({ kind: kinds.owner, count: 0, atMs: 0 }, Buffer.from(owner))
    return owner
  }

  /** Finds the end of the last complete record, and removes what follows. */
  #recover(): void {
    let at = this.#startAt
    for (let head = this.#readHead(at); head !== null; head = this.#readHead(at)) {
      if (!this.#isSound(at, head)) break
      this.#samples += head.kind === kinds.body ? 1 : head.count
      at += headBytes + head.length
    }
    if (at < this.#size) this.#truncate(at)
  }

  #isSound(at: number, head: Head): boolean {
    const bytes = this.#read(at, headBytes + head.length)
    return bytes.readUInt32BE(4) === crc32(bytes.subarray(8))
  }

  /** null: there is no complete record. */
  #readHead(at: number): Head | null {
    if (at + headBytes > this.#size) return null
    const bytes = this.#read(at, headBytes)
    const length = bytes.readUInt32BE(0)
    if (at + headBytes + length > this.#size) return null
    return { length, kind: bytes.readUInt8(8), count: bytes.readUInt32BE(9), atMs: bytes.readDoubleBE(13) }
  }

  #readContent(at: number, { length }: Head): Buffer {
    return this.#read(at + headBytes, length)
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    const read = readSync(this.#descriptor, bytes, 0, length, at)
    if (read < length) throw new RangeError(`${this.path} was changed by another process`)
    return bytes
  }

  #write({ kind, count, atMs }: Omit<Head, 'length'>, content: Buffer): void {
    const bytes = Buffer.alloc(headBytes + content.length)
    bytes.writeUInt32BE(content.length, 0)
    bytes.writeUInt8(kind, 8)
    bytes.writeUInt32BE(count, 9)
    bytes.writeDoubleBE(atMs, 13)
    content.copy(bytes, headBytes)
    bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4)
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

  #truncate(size: number): void {
    ftruncateSync(this.#descriptor, size)
    this.#isTorn = false
    this.#size = size
    this.#readAt = Math.min(this.#readAt, size)
    this.#isDirty = true
  }

  /** Replaces the file by a copy without the records that were sent. If this fails, a later removal tries it again. */
  #copyRest(): void {
    const old = this.#descriptor
    let length: number
    try {
      const rest = this.#read(this.#readAt, this.#size - this.#readAt)
      length = rest.length
      this.#descriptor = this.#replace(Buffer.concat([this.#read(0, this.#startAt), rest]))
    } catch {
      return
    }
    this.#syncing
      .catch(() => undefined)
      .then(() => closeSync(old))
      .catch(() => undefined)
    this.#isTorn = false
    this.#readAt = this.#startAt
    this.#size = this.#startAt + length
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
