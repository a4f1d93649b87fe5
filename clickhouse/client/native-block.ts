/**
 * Writes ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native), which `native.ts` reads:
 * one block, in which the values of each column are contiguous, in little-endian byte order.
 */

/** A column of a block. */
export interface NativeColumn {
  readonly name: string
  /** Name of the type in ClickHouse. */
  readonly type: string
  readonly bytes: readonly Uint8Array[]
}

/** Rows of some columns, serialized; other columns of the table get their defaults. */
export interface NativeRows {
  readonly rows: number
  readonly columns: readonly string[]
  readonly bytes: Buffer
}

/** Assembles columns with this number of rows. */
export function nativeRows(rows: number, columns: readonly NativeColumn[]): NativeRows {
  const head = [varint(columns.length), varint(rows)]
  const parts = columns.flatMap(({ name, type, bytes }) => [withLength(name), withLength(type), ...bytes])
  return { rows, columns: columns.map(({ name }) => name), bytes: Buffer.concat([...head, ...parts]) }
}

/** Creates columns of a type whose values are stored as in memory. */
function columnOf(type: string) {
  return (name: string, values: ArrayBufferView): NativeColumn => ({ name, type, bytes: [bytesOf(values)] })
}

type CreateColumn<Values> = (name: string, values: Values) => NativeColumn

export const uint8Column: CreateColumn<Uint8Array> = columnOf('UInt8')
export const uint32Column: CreateColumn<Uint32Array> = columnOf('UInt32')
export const int32Column: CreateColumn<Int32Array> = columnOf('Int32')
export const float64Column: CreateColumn<Float64Array> = columnOf('Float64')
export const uint64Column: CreateColumn<BigUint64Array> = columnOf('UInt64')
/** From seconds since 1970. */
export const dateTimeColumn: CreateColumn<Uint32Array> = columnOf("DateTime('UTC')")

/**
 * A column of arrays of the values of another column, whose type must not be LowCardinality. `ends`: for each row, the
 * number of values up to the end of its array.
 */
export function arrayColumn({ name, type, bytes }: NativeColumn, ends: Uint32Array): NativeColumn {
  const wide = new Uint32Array(ends.length * 2)
  for (let i = 0; i < ends.length; i++) wide[2 * i] = ends[i] ?? 0
  return { name, type: `Array(${type})`, bytes: [bytesOf(wide), ...bytes] }
}

/** A column of Int64, from safe integers. */
export function int64Column(name: string, values: Float64Array): NativeColumn {
  return { name, type: 'Int64', bytes: [int64Bytes(values)] }
}

/** A column of Nullable(Int64), from safe integers; `isNull` is 1 for null. */
export function nullableInt64Column(name: string, values: Float64Array, isNull: Uint8Array): NativeColumn {
  return { name, type: 'Nullable(Int64)', bytes: [isNull, int64Bytes(values)] }
}

/** A column of LowCardinality(String). `places`: for each row, the index of its value in `keys`. */
export function lowCardinalityColumn(name: string, keys: readonly string[], places: Uint32Array): NativeColumn {
  const [type, narrow] = toNarrowestType(places, keys.length)
  const head = Buffer.alloc(24)
  head.writeBigUInt64LE(sharedDictionaries, 0)
  head.writeBigUInt64LE(ownKeys | type, 8)
  head.writeBigUInt64LE(BigInt(keys.length), 16)
  const rows = Buffer.alloc(8)
  rows.writeBigUInt64LE(BigInt(places.length))
  return { name, type: 'LowCardinality(String)', bytes: [head, ...keys.map(withLength), rows, narrow] }
}

/** Version of the serialization of dictionaries; there is only one. */
const sharedDictionaries = 1n
/** Flags: the block contains the keys, and they are the whole dictionary. */
const ownKeys = 0x600n

/** Returns the indexes in the narrowest integer type for this number of keys, with the format's code of that type. */
function toNarrowestType(places: Uint32Array, keys: number): readonly [bigint, Uint8Array] {
  if (keys <= 0x100) return [0n, Uint8Array.from(places)]
  if (keys <= 0x10000) return [1n, bytesOf(Uint16Array.from(places))]
  return [2n, bytesOf(places)]
}

/** Values of a column of String. */
export class StringColumn {
  #bytes: Buffer
  #length = 0

  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes)
  }

  /** Appends a string; an unpaired surrogate becomes U+FFFD. */
  push(text: string): void {
    // The length takes at most 5 bytes, and each UTF-16 unit at most 3.
    const maxBytes = 5 + text.length * 3
    if (this.#length + maxBytes > this.#bytes.length) this.#grow(maxBytes)
    if (text.length < shortText && this.#pushAscii(text)) return
    const at = writeVarint(this.#bytes, this.#length, Buffer.byteLength(text))
    this.#length = at + this.#bytes.write(text, at)
  }

  /** Appends a string that is already encoded as UTF-8. */
  pushBytes(from: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#length + 5 + length > this.#bytes.length) this.#grow(5 + length)
    const bytes = this.#bytes
    let at = writeVarint(bytes, this.#length, length)
    // For short strings a loop is faster than a native call.
    if (length < shortText) for (let i = start; i < end; i++) bytes[at++] = from[i] ?? 0
    else {
      bytes.set(from.subarray(start, end), at)
      at += length
    }
    this.#length = at
  }

  column(name: string): NativeColumn {
    return { name, type: 'String', bytes: [this.#bytes.subarray(0, this.#length)] }
  }

  /** Appends a short ASCII string without a native call, as nearly all strings are; returns false for other strings. */
  #pushAscii(text: string): boolean {
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = text.length
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return false
      bytes[at++] = code
    }
    this.#length = at
    return true
  }

  #grow(more: number): void {
    const grown = Buffer.allocUnsafe(this.#bytes.length * 2 + more)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Maximum length of a short string, UTF-16 units. */
const shortText = 64

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function int64Bytes(values: Float64Array): Uint8Array {
  const halves = new Uint32Array(values.length * 2)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0
    const high = Math.floor(value / 0x1_0000_0000)
    halves[2 * i] = value - high * 0x1_0000_0000
    halves[2 * i + 1] = high
  }
  return bytesOf(halves)
}

/** Returns a string, preceded by its length in bytes. */
function withLength(text: string): Uint8Array {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(5 + length)
  const at = writeVarint(bytes, 0, length)
  return bytes.subarray(0, at + bytes.write(text, at))
}

/** Encodes a number as LEB128. */
function varint(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(5)
  return bytes.subarray(0, writeVarint(bytes, 0, value))
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}
