import { partitionOfKey } from '../../log/partitioner.ts'
import type { NewRecord, TopicSpec } from '../../log/log.ts'
import { ChunkedMap } from './chunked-map.ts'

/** Topic of the positions of all connectors. */
export const positionsTopic = {
  name: 'connector-positions.v1',
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

/**
 * Where a connector continues to read, and what it has delivered. `head` and the values of `state` are JSON that only
 * the kind of the connector interprets; it writes `head` with each position, and only changed parts of the rest.
 */
export class Position {
  readonly id: string
  head: unknown = null
  /** Keys of samples by the id of their item. */
  readonly keys = new ChunkedMap<string>()
  readonly state = new ChunkedMap<unknown>()

  constructor(id: string) {
    this.id = id
  }

  /** Returns the records of `head` and of the parts that have changed since the last call. */
  takeChanges(): readonly NewRecord[] {
    return [
      this.#record('head', Buffer.from(JSON.stringify(this.head))),
      ...[...this.keys.takeChanges()].map(([number, value]) => this.#record(`keys/${number}`, value)),
      ...[...this.state.takeChanges()].map(([number, value]) => this.#record(`state/${number}`, value)),
    ]
  }

  /** Returns the records that delete the stored position. */
  deletion(): readonly NewRecord[] {
    const parts = [
      'head',
      ...this.keys.chunkNumbers().map(number => `keys/${number}`),
      ...this.state.chunkNumbers().map(number => `state/${number}`),
    ]
    return parts.map(part => this.#record(part, Buffer.alloc(0)))
  }

  #record(part: string, value: Buffer): NewRecord {
    return { key: `${this.id}/${part}`, value, partition: partitionOfPosition(this.id) }
  }
}

/** Returns the positions that the newest records of their keys contain, by id. Ignores keys of other versions. */
export function decodePositions(records: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Position> {
  const positions = new Map<string, Position>()
  for (const [key, value] of records) {
    const [, id, part, number = '0'] = /^(.+)\/(head|keys|state)(?:\/(\d+))?$/.exec(key) ?? []
    if (id === undefined) continue
    const position = positions.get(id) ?? new Position(id)
    positions.set(id, position)
    if (part === 'keys') position.keys.load(Number(number), value)
    else if (part === 'state') position.state.load(Number(number), value)
    else position.head = JSON.parse(value.toString())
  }
  return positions
}
