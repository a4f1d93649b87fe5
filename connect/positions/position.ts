import { partitionOfKey } from '../../log/partitioner.ts'
import type { NewRecord, TopicSpec } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { ChunkedMap } from './chunked-map.ts'

/** Topic of the positions of all connectors. */
export const positionsTopic = {
  name: topics.connectorPositions,
  partitions: 16,
  retentionMs: null,
  isCompacted: true,
} as const satisfies TopicSpec

/** Returns the id of a position: the ids of connectors are unique within their company only. */
export function positionId(companyId: string, connectorId: string): string {
  return `${companyId}/${connectorId}`
}

/** Returns the partition of a position. */
export function partitionOfPosition(id: string): number {
  return partitionOfKey(id, positionsTopic.partitions)
}

/** Version of the format of the positions. */
const positionFormat = 1

/** A later version wrote the positions of a partition, in a format that this version cannot read. */
export class NewerPositions extends Error {
  override readonly name = 'NewerPositions'
  readonly code = 'newer_positions'
}

/** Last instant that a date can have, UTC ms. */
const maxInstantMs = 8.64e15

/** Parts of a position that are stored in chunks. */
const chunked = ['keys', 'state', 'heartbeats'] as const

/**
 * Where a connector continues to read, and what it has delivered. `head` and the values of `state` are JSON that only
 * the kind of the connector interprets; it writes `head` with each position, and only changed parts of the rest.
 */
export class Position {
  readonly id: string
  head: unknown = null
  /** Kind of the connector that has written the position; null: none has. */
  kind: string | null = null
  /** Keys of samples by the id of their item. */
  readonly keys = new ChunkedMap<string>()
  readonly state = new ChunkedMap<unknown>()
  /** Time of the last heartbeat by machine, UTC ms. */
  readonly heartbeats = new ChunkedMap<number>()
  /** Whether a position was stored but cannot be read: the source is read again from the start of its buffer. */
  isLost: boolean
  /** Whether samples after the position may have been delivered, by a process that ended. The kind sets it to false. */
  isBehind = false
  /** Whether a head is stored. */
  isStored = false
  /** Number of the last note (`SourceSession.deliver`) whose samples `head` describes; the kind sets it with `head`. */
  noted = 0
  /** Called with `noted` of each position that was stored. */
  onStored: (noted: number) => void = () => undefined
  #oldKeys: readonly string[]

  /** `oldKeys`: keys of the records of a position that this one replaces; the next records delete them. */
  constructor(id: string, { isLost = false, oldKeys = [] }: { isLost?: boolean; oldKeys?: readonly string[] } = {}) {
    this.id = id
    this.#oldKeys = oldKeys
    this.isLost = isLost
  }

  /** Returns the position with which a connector starts: an empty one if another kind has written this one. */
  startOf(kind: string): Position {
    const position = [null, kind].includes(this.kind) ? this : new Position(this.id, { oldKeys: this.#storedKeys() })
    position.kind = kind
    return position
  }

  /**
   * Returns the records of `head` and of the parts that have changed since the last call. Throws a `RangeError` if
   * an entry is larger than a chunk: then no part counts as written.
   */
  takeChanges(): readonly NewRecord[] {
    const changes = chunked.flatMap(part =>
      [...this[part].changes()].map(([number, value]) => this.#record(`${this.id}/${part}/${number}`, value)),
    )
    const head = this.#record(
      `${this.id}/head`,
      Buffer.from(JSON.stringify({ format: positionFormat, kind: this.kind, head: this.head })),
    )
    const deletions = this.#deletions(this.#oldKeys)
    for (const part of chunked) this[part].markWritten()
    this.#oldKeys = []
    return [...deletions, head, ...changes]
  }

  /** Empties a position that its kind cannot read; the next write replaces the stored one. Heartbeats stay. */
  lose(): void {
    this.isLost = true
    this.isStored = false
    this.head = null
    this.keys.clear()
    this.state.clear()
  }

  /** Returns the records that delete the stored position. */
  deletion(): readonly NewRecord[] {
    return this.#deletions(this.#storedKeys())
  }

  #storedKeys(): readonly string[] {
    const parts = chunked.flatMap(part => this[part].chunkNumbers().map(number => `${this.id}/${part}/${number}`))
    return [...this.#oldKeys, `${this.id}/head`, ...parts]
  }

  #deletions(keys: readonly string[]): readonly NewRecord[] {
    return keys.map(key => this.#record(key, Buffer.alloc(0)))
  }

  #record(key: string, value: Buffer): NewRecord {
    return { key, value, partition: partitionOfPosition(this.id) }
  }
}

/**
 * Returns the positions that the newest records of their keys contain, by id. A position with a record that cannot be
 * read is lost as a whole. Ignores keys of other versions. Throws `NewerPositions`.
 */
export function decodePositions(records: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Position> {
  const byId = new Map<string, StoredPart[]>()
  for (const [key, value] of records) {
    const [, id, part, number = '0'] = /^(.+)\/(head|keys|state|heartbeats)(?:\/(\d+))?$/.exec(key) ?? []
    if (id !== undefined && part !== undefined)
      getOrCreate(byId, id, () => []).push({ key, part, number: Number(number), value })
  }
  return new Map([...byId].map(([id, parts]) => [id, decodePosition(id, parts)]))
}

interface StoredPart {
  readonly key: string
  readonly part: string
  readonly number: number
  readonly value: Buffer
}

/** Types of the values of a position. The kind of the connector checks those of `state`. */
const isValid = {
  keys: (value: unknown) => typeof value === 'string',
  state: () => true,
  heartbeats: (value: unknown) => typeof value === 'number' && Math.abs(value) <= maxInstantMs,
} as const

function decodePosition(id: string, parts: readonly StoredPart[]): Position {
  const position = new Position(id)
  try {
    for (const { part, number, value } of parts) {
      const map = chunked.find(each => each === part)
      if (map === undefined) Object.assign(position, readHead(value))
      else position[map].load(number, value, isValid[map])
    }
    return position
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error
    return new Position(id, { isLost: true, oldKeys: parts.map(({ key }) => key) })
  }
}

function readHead(value: Buffer): Pick<Position, 'kind' | 'head' | 'isStored' | 'isBehind'> {
  const { format, kind, head }: Pick<Position, 'kind' | 'head'> & { format?: unknown } = JSON.parse(value.toString())
  if (typeof format === 'number' && format > positionFormat)
    throw new NewerPositions(
      `The positions of connectors have format ${format}, this version reads ${positionFormat}: a later version wrote them. Start that version`,
    )
  if ((kind !== null && typeof kind !== 'string') || head === undefined)
    throw new TypeError('The head has another form')
  return { kind, head, isStored: head !== null, isBehind: head !== null }
}
