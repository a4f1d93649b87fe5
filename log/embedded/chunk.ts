import type { LogRecord, NewRecord } from '../log.ts'

/**
 * Encodes consecutive records of a partition. Each record: length of the key + 1 (0: no key) and the key, number of
 * headers, each header's name and value, length of the value, and the value. Lengths are LEB128, strings UTF-8. Common
 * fields (offset, time) are in the chunk's key. Allocates separate memory: a part of Node's shared pool would retain
 * all its 8 kB while the chunk is cached.
 */
export function encodeChunk(records: readonly NewRecord[]): Buffer {
  const chunk = Buffer.allocUnsafeSlow(records.reduce((bytes, record) => bytes + encodedBytes(record), 0))
  let at = 0
  for (const record of records) at = writeRecord(chunk, at, record)
  return chunk.subarray(0, at)
}

/** Upper bound of a record's bytes in a chunk. */
export function encodedBytes({ key, value, headers }: NewRecord): number {
  let bytes = 15 + value.length + (key === null ? 0 : key.length * 3)
  if (headers !== undefined) {
    for (const [name, text] of Object.entries(headers)) bytes += 10 + (name.length + text.length) * 3
  }
  return bytes
}

function writeRecord(chunk: Buffer, start: number, { key, value, headers }: NewRecord): number {
  let at = key === null ? writeLength(chunk, start, 0) : writeText(chunk, start, key, 1)
  const entries = headers === undefined ? [] : Object.entries(headers)
  at = writeLength(chunk, at, entries.length)
  for (const [name, text] of entries) at = writeText(chunk, writeText(chunk, at, name, 0), text, 0)
  at = writeLength(chunk, at, value.length)
  return at + value.copy(chunk, at)
}

function writeText(chunk: Buffer, at: number, text: string, plus: number): number {
  const bytes = Buffer.byteLength(text)
  const from = writeLength(chunk, at, bytes + plus)
  return from + chunk.write(text, from, bytes, 'utf8')
}

function writeLength(chunk: Buffer, start: number, length: number): number {
  let at = start
  let rest = length
  while (rest >= 0x80) {
    chunk[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  chunk[at++] = rest
  return at
}

/** Fields that all records of a chunk share. */
export interface ChunkOrigin {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly timestampMs: number
}

/** Decodes the records of a chunk from offset `from` on, at most `limit`. Their values are views into the chunk. */
export function decodeChunk(chunk: Buffer, origin: ChunkOrigin, from: number, limit: number): LogRecord[] {
  const { topic, partition, timestampMs } = origin
  const reader = new ChunkReader(chunk)
  const records: LogRecord[] = []
  for (let offset = origin.first; !reader.atEnd && records.length < limit; offset++) {
    const key = reader.key()
    const headers = reader.headers()
    const value = reader.bytes()
    if (offset >= from) records.push({ topic, partition, offset, key, value, headers, timestampMs })
  }
  return records
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

class ChunkReader {
  readonly #chunk: Buffer
  #at = 0

  constructor(chunk: Buffer) {
    this.#chunk = chunk
  }

  get atEnd(): boolean {
    return this.#at >= this.#chunk.length
  }

  key(): string | null {
    const length = this.#length()
    return length === 0 ? null : this.#text(length - 1)
  }

  headers(): Readonly<Record<string, string>> {
    const count = this.#length()
    if (count === 0) return noHeaders
    const entries = Array.from(
      { length: count },
      () => [this.#text(this.#length()), this.#text(this.#length())] as const,
    )
    return Object.fromEntries(entries)
  }

  bytes(): Buffer {
    const length = this.#length()
    this.#at += length
    return this.#chunk.subarray(this.#at - length, this.#at)
  }

  #text(bytes: number): string {
    this.#at += bytes
    return this.#chunk.toString('utf8', this.#at - bytes, this.#at)
  }

  #length(): number {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#chunk.readUInt8(this.#at++)
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) return length
    }
  }
}
