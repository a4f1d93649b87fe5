/** A column of numbers; of `Array(UInt32)`, one array per row. 64-bit integers and strings are not supported. */
export type NumberColumn = Uint8Array | Int32Array | Uint32Array | Float64Array | readonly (readonly number[])[]

/**
 * Parses ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native) from a server or the embedded
 * engine: blocks of rows, in which the values of each column are contiguous, as in memory. Takes a quarter of the time of
 * JSON. Throws a `TypeError` for an unsupported type, and unless the columns have these names, in this order. Without
 * rows, every column is empty.
 */
export function parseNative(bytes: Buffer, names: readonly string[]): readonly NumberColumn[] {
  const blocks = readBlocks(new Reader(bytes)).filter(({ rows }) => rows > 0)
  const [first] = blocks
  if (!first) return names.map(() => new Float64Array())
  const found = first.columns.map(({ name }) => name)
  if (found.length !== names.length || found.some((name, i) => name !== names[i]))
    throw new TypeError(`Result has the columns ${found.join(', ')}, expected ${names.join(', ')}`)
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0)
  return first.columns.map(({ type }, i) => {
    const parts = blocks.map(block => ({ rows: block.rows, values: bytesInBlock(block, i, type) }))
    return type === 'Array(UInt32)' ? parseArrays(parts) : concatenate(type, parts, rows)
  })
}

interface Block {
  readonly rows: number
  readonly columns: readonly Part[]
}

/** Values of a column in one block. */
interface Part {
  readonly name: string
  readonly type: ColumnType
  readonly bytes: Buffer
}

const widths = { UInt8: 1, Int32: 4, UInt32: 4, Float64: 8 } as const
type ScalarType = keyof typeof widths
type ColumnType = ScalarType | 'Array(UInt32)'

const arrays = { UInt8: Uint8Array, Int32: Int32Array, UInt32: Uint32Array, Float64: Float64Array } as const

/** Splits the bytes into blocks without copying values. */
function readBlocks(reader: Reader): readonly Block[] {
  const blocks: Block[] = []
  while (!reader.isAtEnd) {
    const columns = reader.varint()
    const rows = reader.varint()
    blocks.push({ rows, columns: Array.from({ length: columns }, () => readPart(reader, rows)) })
  }
  return blocks
}

function readPart(reader: Reader, rows: number): Part {
  const name = reader.text()
  const type = columnType(reader.text())
  return {
    name,
    type,
    bytes: reader.read(type === 'Array(UInt32)' ? reader.byteLengthOfArrays(rows) : rows * widths[type]),
  }
}

function columnType(text: string): ColumnType {
  if (text === 'Array(UInt32)' || isScalar(text)) return text
  throw new TypeError(`Unsupported type of a numeric column: ${text}`)
}

function isScalar(text: string): text is ScalarType {
  return Object.hasOwn(widths, text)
}

function bytesInBlock({ columns }: Block, index: number, type: ColumnType): Buffer {
  const part = columns[index]
  if (part?.type !== type) throw new TypeError('Type of a column differs between blocks')
  return part.bytes
}

function concatenate(type: ScalarType, parts: readonly { readonly values: Buffer }[], rows: number): NumberColumn {
  const column = new arrays[type](rows)
  const into = new Uint8Array(column.buffer)
  let at = 0
  for (const { values } of parts) {
    into.set(values, at)
    at += values.length
  }
  return column
}

/** Parses arrays: each block contains the end of each array, then the items of all arrays. */
function parseArrays(
  parts: readonly { readonly rows: number; readonly values: Buffer }[],
): readonly (readonly number[])[] {
  const found: (readonly number[])[] = []
  for (const { rows, values } of parts) {
    const items = values.subarray(rows * endBytes)
    let start = 0
    for (let row = 0; row < rows; row++) {
      const end = values.readUInt32LE(row * endBytes)
      found.push(start === end ? emptyArray : itemsOf(items, start, end))
      start = end
    }
  }
  return found
}

function itemsOf(items: Buffer, start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, i) => items.readUInt32LE((start + i) * widths.UInt32))
}

const emptyArray: readonly number[] = []
/** Ends of arrays are UInt64, of which only the lower 32 bits are read: a block never has that many items. */
const endBytes = 8

/** Reads little-endian values. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Decodes a LEB128 number. */
  varint(): number {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++)
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }

  text(): string {
    const length = this.varint()
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  /** Returns the next bytes without copying them. */
  read(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('Result ends within a column')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Returns the bytes of the next `rows` arrays. The last end is the number of items. */
  byteLengthOfArrays(rows: number): number {
    const lastEnd = this.#at + (rows - 1) * endBytes
    const items = rows === 0 ? 0 : Number(this.#bytes.readBigUInt64LE(lastEnd))
    return rows * endBytes + items * widths.UInt32
  }
}
