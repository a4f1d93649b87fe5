import { createHash } from 'node:crypto'
import type { Category } from '../../schema/sample.ts'
import type { ActiveCondition } from './active-conditions.ts'
import type { Header } from './document.ts'
import type { UsedKey } from './machine-items.ts'
import { parseSequence } from './sequence.ts'

/** State of an EVENT or CONDITION item that was delivered, as plain JSON. */
export interface StoredItem {
  readonly id: string
  readonly machineIds: readonly string[]
  /** Its key, and those of its expanded entries. */
  readonly keys: readonly string[]
  readonly type: string
  readonly subtype: string
  readonly category: Category
  /** Time of the last sample with the number of a condition, UTC µs. */
  readonly lastUs?: number
  /** Time of UNAVAILABLE or of the last value that was restated after it, UTC µs. */
  readonly restateUs?: number
  readonly active?: readonly (readonly [id: string, condition: ActiveCondition])[]
  /** Times and values of the last observations of a discrete item. */
  readonly recent?: readonly (readonly [atUs: number, value: string])[]
  /** JSON of the entries of a data set or table; null: they are unknown, because the set was too long. */
  readonly entries?: readonly (readonly [key: string, value: string])[] | null
}

/** Position in the stream of an agent, as plain JSON: all that the next samples depend on. */
export interface StreamPosition {
  /** Number of the agent's run, as sent. */
  readonly instanceId: string
  /** Restarts of the agent that did not change its instanceId. */
  readonly restarts: number
  /** Sequence of the next observation, in decimal. */
  readonly next: string
  /** creationTime of the last delivered document, UTC µs. */
  readonly contactUs: number
  /** First sequence of the present states that are delivered again when all others have been read, in decimal. */
  readonly repeatFrom?: string
  /** Newest delivered time by machine, UTC µs. */
  readonly newestUs: readonly (readonly [machineId: string, atUs: number])[]
  readonly keys: readonly UsedKey[]
  readonly items: readonly StoredItem[]
}

/** Relation of a position to the buffer of an agent. */
export type Situation = 'first' | 'continue' | 'overrun' | 'restart'

/** Compares a position with the header of a document of values; null: there is no position. */
export function situationOf(
  position: Pick<StreamPosition, 'instanceId' | 'next'> | null,
  { instanceId, firstSequence, nextSequence }: Header,
): Situation {
  if (position === null) return 'first'
  const next = parseSequence(position.next) ?? 0
  if (position.instanceId !== instanceId || (nextSequence !== null && next > nextSequence)) return 'restart'
  return firstSequence !== null && next < firstSequence ? 'overrun' : 'continue'
}

/** Number of a run in samples: the first 52 bits of SHA-256 over the source, a line feed and the agent's instanceId. */
export function runOf(
  sourceId: string,
  { instanceId, restarts }: Pick<StreamPosition, 'instanceId' | 'restarts'>,
): number {
  const source = restarts === 0 ? sourceId : `${sourceId}#${restarts}`
  return Number.parseInt(createHash('sha256').update(`${source}\n${instanceId}`).digest('hex').slice(0, 13), 16)
}
