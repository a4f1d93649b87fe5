/** Limits of the entries that one record contains. */
const chunkLimit = { keys: 500, bytes: 256 << 10 } as const

interface Chunk {
  readonly number: number
  readonly keys: Set<string>
  isChanged: boolean
}

/**
 * A map whose entries are stored in numbered chunks: a change writes only the chunks of changed entries. Values are
 * JSON.
 */
export class ChunkedMap<V> {
  readonly #entries = new Map<string, { value: V; chunk: Chunk }>()
  readonly #chunks: Chunk[] = []

  /** Adds the entries of a stored chunk. Throws a `SyntaxError` or `TypeError` if it does not have the form of a chunk. */
  load(number: number, encoded: Buffer, isValue: (value: unknown) => boolean = () => true): void {
    const entries: readonly (readonly [string, V])[] = JSON.parse(encoded.toString())
    if (!entries.every(entry => Array.isArray(entry) && typeof entry[0] === 'string' && isValue(entry[1])))
      throw new TypeError('An entry of the chunk has another form')
    const chunk = this.#chunkNumbered(number)
    for (const [key, value] of entries) {
      chunk.keys.add(key)
      this.#entries.set(key, { value, chunk })
    }
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value
  }

  *entries(): Generator<readonly [string, V]> {
    for (const [key, { value }] of this.#entries) yield [key, value]
  }

  set(key: string, value: V): void {
    const known = this.#entries.get(key)
    const chunk = known?.chunk ?? this.#chunkWithSpace()
    chunk.keys.add(key)
    chunk.isChanged = true
    this.#entries.set(key, { value, chunk })
  }

  delete(key: string): void {
    const known = this.#entries.get(key)
    if (known === undefined) return
    this.#entries.delete(key)
    known.chunk.keys.delete(key)
    known.chunk.isChanged = true
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key)
  }

  /**
   * Returns the chunks that changed since `markWritten` by number, a chunk without entries as an empty buffer. Throws a
   * `RangeError` for an entry that is larger than a chunk.
   */
  changes(): ReadonlyMap<number, Buffer> {
    const changes = new Map<number, Buffer>()
    // Entries that exceed a chunk move to chunks at the end, which are visited too.
    for (const chunk of this.#chunks) {
      if (!chunk.isChanged) continue
      let encoded = this.#encode(chunk)
      while (encoded.length > chunkLimit.bytes) {
        this.#moveHalf(chunk)
        encoded = this.#encode(chunk)
      }
      changes.set(chunk.number, encoded)
    }
    return changes
  }

  /** All changes so far are written. */
  markWritten(): void {
    for (const chunk of this.#chunks) chunk.isChanged = false
  }

  /** Numbers of the chunks that have entries. */
  chunkNumbers(): readonly number[] {
    return this.#chunks.filter(({ keys }) => keys.size > 0).map(({ number }) => number)
  }

  #encode({ keys }: Chunk): Buffer {
    if (keys.size === 0) return Buffer.alloc(0)
    return Buffer.from(JSON.stringify([...keys].map(key => [key, this.#entries.get(key)?.value])))
  }

  #moveHalf(chunk: Chunk): void {
    const keys = [...chunk.keys]
    if (keys.length === 1) throw new RangeError(`The state of the key ${keys[0]} exceeds ${chunkLimit.bytes} bytes`)
    const target = this.#chunkNumbered(this.#chunks.length)
    target.isChanged = true
    for (const key of keys.slice(keys.length / 2)) {
      chunk.keys.delete(key)
      target.keys.add(key)
      const entry = this.#entries.get(key)
      if (entry !== undefined) entry.chunk = target
    }
  }

  #chunkWithSpace(): Chunk {
    const found = this.#chunks.find(({ keys }) => keys.size < chunkLimit.keys)
    return found ?? this.#chunkNumbered(this.#chunks.length)
  }

  /** Returns the chunk with a number; creates it and those before it if they are missing. */
  #chunkNumbered(number: number): Chunk {
    while (this.#chunks.length <= number)
      this.#chunks.push({ number: this.#chunks.length, keys: new Set(), isChanged: false })
    const chunk = this.#chunks[number]
    if (chunk === undefined) throw new RangeError(`Invariant: chunk ${number} was not created`)
    return chunk
  }
}
