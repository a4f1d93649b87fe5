import type { Device } from './devices.ts'
import type { Observation } from './parsed-line.ts'
import { shiftTimestamp } from './timestamps.ts'

/** Limit of the keys of a device; the key that was added first is removed. */
const maxKeys = 20_000
/** Limit of the codes of a condition at one time. */
const maxCodes = 1_000

interface Last {
  /** Time in the source, and as delivered, UTC µs. */
  sourceUs: number
  atUs: number
  /** Hash of the content. */
  content: number
  /** Hashes of the contents of a condition at `sourceUs`, by the hash of their code; null: not a condition. */
  readonly codes: Map<number, number> | null
}

/**
 * Preserves the order in which observations arrive: samples without sequence numbers are ordered by time and then by
 * value. An observation with the time of the previous one of its key and another content moves to 1 µs after that one;
 * with equal content it is a duplicate.
 */
export class ArrivalOrder {
  readonly #devices = new Map<Device, Map<string, Last>>()
  /** Number of observations whose time is before that of the previous one of their key. */
  backwards = 0

  /** Returns the observation at the time of delivery; null: it is a duplicate. */
  accept(observation: Observation): Observation | null {
    const { atUs } = observation
    const last = this.#lastOf(observation)
    const content = contentHash(observation)
    const isSameTime = atUs === last.sourceUs
    if (
      last.codes === null
        ? isSameTime && content === last.content
        : isRepeated(last.codes, observation, content, isSameTime)
    )
      return null
    if (atUs < last.sourceUs) this.backwards++
    // A later time must not be before the times that equal times have moved to.
    const isMoved = atUs >= last.sourceUs && atUs <= last.atUs
    last.sourceUs = atUs
    last.atUs = isMoved ? last.atUs + 1 : atUs
    last.content = content
    return isMoved ? moved(observation, last.atUs) : observation
  }

  #lastOf({ device, key, category }: Observation): Last {
    const keys = this.#devices.get(device) ?? new Map<string, Last>()
    const known = keys.get(key)
    if (known) return known
    this.#devices.set(device, keys)
    const [oldest] = keys.size >= maxKeys ? keys.keys() : []
    if (oldest !== undefined) keys.delete(oldest)
    const codes = category === 'CONDITION' ? new Map<number, number>() : null
    const last: Last = { sourceUs: -Infinity, atUs: -Infinity, content: 0, codes }
    // A part of a line holds the whole line in memory; a copy does not.
    keys.set(Buffer.from(key).toString(), last)
    return last
  }
}

/**
 * Whether a condition equals the last one of its code at the same time; stores it. NORMAL and UNAVAILABLE without a code
 * clear all codes: a code that is raised again after them is not a duplicate, nor are they after a code.
 */
function isRepeated(codes: Map<number, number>, condition: Observation, content: number, isSameTime: boolean): boolean {
  const { nativeCode = '', value } = condition
  const code = hashOf(hashStart, nativeCode)
  const endsAll = nativeCode === '' && /^(?:normal|unavailable)$/i.test(value)
  if (isSameTime && codes.get(code) === content && (!endsAll || codes.size === 1)) return true
  if (!isSameTime || endsAll || codes.size >= maxCodes) codes.clear()
  codes.set(code, content)
  return false
}

function moved(observation: Observation, atUs: number): Observation {
  return { ...observation, atUs, timestamp: shiftTimestamp(observation.timestamp, atUs - observation.atUs) }
}

/** Hash of the content, so that long texts do not stay in memory. */
function contentHash({ value, nativeCode, nativeSeverity, qualifier, message }: Observation): number {
  const hash = hashOf(hashStart, value)
  if (nativeCode === undefined) return hash
  return hashOf(hashOf(hashOf(hashOf(hash, nativeCode), nativeSeverity ?? ''), qualifier ?? ''), message ?? '')
}

const hashStart = 0x811c9dc5 * 2 ** 21

/** Adds a text to a hash of 53 bits. */
function hashOf(start: number, text: string): number {
  let low = Math.floor(start / 2 ** 21) ^ text.length
  let high = (start % 2 ** 21) ^ 0x9e3779b1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b)
    high ^= high >>> 13
  }
  return (low >>> 0) * 2 ** 21 + (high >>> 11)
}
