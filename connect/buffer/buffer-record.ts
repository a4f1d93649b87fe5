import { crc32 } from 'node:zlib'
import type { Note } from '../source/note.ts'
import type { SampleText } from './batches.ts'

/** Bytes before the content of a record: length, checksum, kind, number of samples, time. */
export const headBytes = 21
export const kinds = { owner: 0, samples: 1, body: 2, note: 3 } as const

export interface RecordHead {
  /** Bytes of the content. */
  readonly length: number
  readonly kind: number
  /** Samples of the content; earlier versions skip records without samples. */
  readonly count: number
  readonly atMs: number
}

/** Samples, or a body of `POST /ingest/samples`, to append. */
export interface BufferRecord extends SampleText {
  readonly isBody: boolean
  /** Time of receipt, UTC ms. */
  readonly atMs: number
  readonly note?: Note | undefined
}

/** Encodes a record of a buffer file. */
export function encodeRecord({ kind, count, atMs }: Omit<RecordHead, 'length'>, content: Buffer): Buffer {
  const bytes = Buffer.alloc(headBytes + content.length)
  bytes.writeUInt32BE(content.length, 0)
  bytes.writeUInt8(kind, 8)
  bytes.writeUInt32BE(count, 9)
  bytes.writeDoubleBE(atMs, 13)
  content.copy(bytes, headBytes)
  bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4)
  return bytes
}

/** Reads the head of a record from its first bytes. */
export function readHead(bytes: Buffer): RecordHead {
  return {
    length: bytes.readUInt32BE(0),
    kind: bytes.readUInt8(8),
    count: bytes.readUInt32BE(9),
    atMs: bytes.readDoubleBE(13),
  }
}

/** Whether the bytes of a record are those that were written. */
export function isSound(record: Buffer): boolean {
  return record.readUInt32BE(4) === crc32(record.subarray(8))
}

/** Returns the content of the record of a note. */
export function encodeNote({ number, text }: Note): Buffer {
  return Buffer.from(`${number} ${text}`)
}

/** Reads the content of the record of a note. */
export function readNote(content: Buffer): Note {
  const text = content.toString()
  const space = text.indexOf(' ')
  return { number: Number(text.slice(0, space)), text: text.slice(space + 1) }
}
