/**
 * Writes ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native), as `native.ts` reads it: one block, in
 * which every column's values lie side by side. Little-endian, as every machine that Node runs on.
 */

/** A column of a block. */
export interface NativeColumn {
  readonly name: string
  /** As ClickHouse writes it. */
  readonly type: string
  readonly bytes: readonly Uint8Array[]
}

/** Rows of some columns as bytes: a table's other columns get their defaults. */
export interface NativeRows {
  readonly rows: number
  readonly columns: readonly string[]
  readonly bytes: Buffer
}

/** Assembles columns of this number of rows. */
export function nativeRows(rows: number, columns: readonly NativeColumn[]): NativeRows {
  const head = [varint(columns.length), varint(rows)]
  const parts = columns.flatMap(({ name, type, bytes }) => [sized(name), sized(type), ...bytes])
  return { rows, columns: columns.map(({ name }) => name), bytes: Buffer.concat([...head, ...parts]) }
}

/** A column of UInt32. */
export function uint32Column(name: string, values: Uint32Array): NativeColumn {
  return { name, type: 'UInt32', bytes: [bytesOf(values)] }
}

/** A column of UInt8. */
export function uint8Column(name: string, values: Uint8Array): NativeColumn {
  return { name, type: 'UInt8', bytes: [values] }
}

/** A column of Int32. */
export function int32Column(name: string, values: Int32Array): NativeColumn {
  return { name, type: 'Int32', bytes: [bytesOf(values)] }
}

/** A column of Float64. */
export function float64Column(name: string, values: Float64Array): NativeColumn {
  return { name, type: 'Float64', bytes: [bytesOf(values)] }
}

/** A column of UInt64. */
export function uint64Column(name: string, values: BigUint64Array): NativeColumn {
  return { name, type: 'UInt64', bytes: [bytesOf(values)] }
}

/** A column of DateTime('UTC'), of seconds. */
export function dateTimeColumn(name: string, values: Uint32Array): NativeColumn {
  return { name, type: "DateTime('UTC')", bytes: [bytesOf(values)] }
}

/** A column of arrays of the values of another, which is none of LowCardinality: `ends` says behind how many of them each row's end. */
export function arraysOf({ name, type, bytes }: NativeColumn, ends: Uint32Array): NativeColumn {
  const wide = new Uint32Array(ends.length * 2)
  for (let i = 0; i < ends.length; i++) wide[2 * i] = ends[i] ?? 0
  return { name, type: `Array(${type})`, bytes: [bytesOf(wide), ...bytes] }
}

/** A column of Int64, of safe integers. */
export function int64Column(name: string, values: Float64Array): NativeColumn {
  return { name, type: 'Int64', bytes: [int64Bytes(values)] }
}

/** A column of Nullable(Int64), of safe integers; `isNull` is 1 for a null. */
export function nullableInt64Column(name: string, values: Float64Array, isNull: Uint8Array): NativeColumn {
  return { name, type: 'Nullable(Int64)', bytes: [isNull, int64Bytes(values)] }
}

/** A column of LowCardinality(String): each value is the place of its key. */
export function lowCardinalityColumn(name: string, keys: readonly string[], places: Uint32Array): NativeColumn {
  const [type, narrow] = narrowest(places, keys.length)
  const head = Buffer.alloc(24)
  head.writeBigUInt64LE(sharedDictionaries, 0)
  head.writeBigUInt64LE(ownKeys | type, 8)
  head.writeBigUInt64LE(BigInt(keys.length), 16)
  const rows = Buffer.alloc(8)
  rows.writeBigUInt64LE(BigInt(places.length))
  return { name, type: 'LowCardinality(String)', bytes: [head, ...keys.map(sized), rows, narrow] }
}

/** The one version of the serialization of dictionaries. */
const sharedDictionaries = 1n
/** The keys come with the block, and are the whole dictionary. */
const ownKeys = 0x600n

/** Places in as few bytes as so many keys need, and the format's number of that width. */
function narrowest(places: Uint32Array, keys: number): readonly [bigint, Uint8Array] {
  if (keys <= 0x100) return [0n, Uint8Array.from(places)]
  if (keys <= 0x10000) return [1n, bytesOf(Uint16Array.from(places))]
  return [2n, bytesOf(places)]
}

/** Strings of a column of String, unchanged. */
export class StringColumn {
  #bytes: Buffer
  #length = 0

  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes)
  }

  /** Half of a surrogate pair is invalid Unicode and becomes U+FFFD. */
  push(text: string): void {
    // The length of a text takes five bytes at most, and each UTF-16 unit of it three.
    const most = 5 + text.length * 3
    if (this.#length + most > this.#bytes.length) this.#grow(most)
    if (text.length < shortText && this.#pushAscii(text)) return
    const at = writeVarint(this.#bytes, this.#length, Buffer.byteLength(text))
    this.#length = at + this.#bytes.write(text, at)
  }

  /** A text that is UTF-8 already. */
  pushBytes(from: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#length + 5 + length > this.#bytes.length) this.#grow(5 + length)
    const bytes = this.#bytes
    let at = writeVarint(bytes, this.#length, length)
    // A call out of JavaScript takes longer than a short text.
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

  /** Writes a short ASCII string, as nearly all are, without a call out of JavaScript; false for other strings. */
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

/** In UTF-16 units. */
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

/** A text after its length in bytes. */
function sized(text: string): Uint8Array {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(5 + length)
  const at = writeVarint(bytes, 0, length)
  return bytes.subarray(0, at + bytes.write(text, at))
}

/** LEB128. */
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
