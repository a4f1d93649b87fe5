import type { WireSample } from '../../schema/topics.ts'

/** A sample of a machine in the form that the rules use: canonical names, numeric instants. */
export interface Observation {
  /** Microseconds since 1970; further digits are truncated. */
  readonly atUs: number
  readonly atMs: number
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly isCondition: boolean
  /** The value as text; `UNAVAILABLE` and the levels of conditions are in upper case. */
  readonly value: string
  readonly nativeCode: string
  readonly message: string
  readonly instanceId: number | null
  readonly sequence: number | null
}

const canonicalNames = new Map<string, string>()

/** Returns a type or key in upper case without `_` and spaces: names are equal if these forms are equal. */
export function canonical(name: string): string {
  const known = canonicalNames.get(name)
  if (known !== undefined) return known
  const found = name.replaceAll(/[_\s]/g, '').toUpperCase()
  canonicalNames.set(name, found)
  return found
}

const conditionTypes = new Set(
  ['ACTUATOR', 'COMMUNICATIONS', 'DATA_RANGE', 'HARDWARE', 'LOGIC_PROGRAM', 'MOTION_PROGRAM', 'SYSTEM'].map(canonical),
)
const levels = new Set(['NORMAL', 'WARNING', 'FAULT', 'UNAVAILABLE'])

/** Parses a plain decimal text; returns null for any other text. */
export function decimal(text: string): number | null {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

const instantPattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|z|[+-]\d\d(?::?\d\d)?)?$/

/** Parses an ISO date-time to microseconds since 1970; UTC without an offset. Throws for any other text. */
function microseconds(timestamp: string): number {
  const match = instantPattern.exec(timestamp)
  if (!match) throw new Error(`no date-time: ${timestamp}`)
  const [, date = '', time = '', seconds = '00', fraction = '', offset = 'Z'] = match
  const fractionUs = Number(fraction.slice(0, 6).padEnd(6, '0'))
  const offsetUs = offsetMs(offset) * 1000
  // A leap second is in the last millisecond of its minute.
  if (seconds === '60') return Date.parse(`${date}T${time}:59.999Z`) * 1000 + Math.floor(fractionUs / 1000) - offsetUs
  return Date.parse(`${date}T${time}:${seconds}Z`) * 1000 + fractionUs - offsetUs
}

function offsetMs(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0
  const digits = offset.slice(1).replace(':', '')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || '0')
  return (offset.startsWith('-') ? -1 : 1) * minutes * 60_000
}

/** Parses an ISO date-time to UTC ms. */
export function milliseconds(timestamp: string): number {
  return Math.floor(microseconds(timestamp) / 1000)
}

interface Copy {
  readonly wire: WireSample
  readonly observation: Observation
}

/**
 * Returns the samples of a machine that count at `nowMs`: each once, in the total order of the machine, without samples
 * after the clock and samples older than `maxSampleAgeDays`.
 */
export function observationsOf(
  machineId: string,
  samples: readonly WireSample[],
  nowMs: number,
  maxSampleAgeDays: number,
): readonly Observation[] {
  const oldestMs = nowMs - maxSampleAgeDays * 86_400_000
  const copies = samples
    .filter(wire => wire.machineId === machineId)
    .map(wire => ({ wire, observation: observe(wire) }))
    .filter(({ observation }) => observation.atMs <= nowMs && observation.atMs >= oldestMs)
    .sort(compareCopies)
  const known = new Set<string>()
  return copies.flatMap(({ observation }) => {
    const id = identity(observation)
    if (known.has(id)) return []
    known.add(id)
    return [observation]
  })
}

function observe(wire: WireSample): Observation {
  const type = canonical(wire.type)
  const isCondition = wire.category === undefined ? conditionTypes.has(type) : wire.category === 'CONDITION'
  const text = String(wire.value)
  const upper = text.toUpperCase()
  const hasSequence = wire.instanceId !== undefined && wire.sequence !== undefined
  const atUs = microseconds(wire.timestamp)
  return {
    atUs,
    atMs: Math.floor(atUs / 1000),
    key: canonical(wire.key),
    type,
    subtype: canonical(wire.subtype ?? ''),
    isCondition,
    value: upper === 'UNAVAILABLE' || (isCondition && levels.has(upper)) ? upper : text,
    nativeCode: wire.nativeCode ?? '',
    message: wire.message ?? '',
    instanceId: hasSequence ? (wire.instanceId ?? null) : null,
    sequence: hasSequence ? (wire.sequence ?? null) : null,
  }
}

function identity(it: Observation): string {
  const parts =
    it.instanceId === null
      ? [it.atUs, it.key, it.type, it.subtype, it.value, it.nativeCode]
      : [it.instanceId, it.sequence, it.key]
  return parts.join('\u0000')
}

/**
 * Compares by timestamp, instance and sequence number (samples without a number first), clearing before WARNING before
 * FAULT, value, then the other fields.
 */
function compareCopies(left: Copy, right: Copy): number {
  const a = left.observation
  const b = right.observation
  return (
    a.atUs - b.atUs ||
    (a.instanceId ?? -Infinity) - (b.instanceId ?? -Infinity) ||
    (a.sequence ?? -Infinity) - (b.sequence ?? -Infinity) ||
    raise(a) - raise(b) ||
    compareValues(a.value, b.value) ||
    compareText(left.wire.message ?? '', right.wire.message ?? '') ||
    compareText(left.wire.key, right.wire.key) ||
    compareText(left.wire.type, right.wire.type) ||
    compareText(left.wire.subtype ?? '', right.wire.subtype ?? '') ||
    compareText(left.wire.nativeCode ?? '', right.wire.nativeCode ?? '')
  )
}

function raise(it: Observation): number {
  if (!it.isCondition) return 0
  if (it.value === 'WARNING') return 1
  return it.value === 'FAULT' ? 2 : 0
}

function compareValues(left: string, right: string): number {
  const a = decimal(left)
  const b = decimal(right)
  if (a !== null && b !== null) return a - b
  if (a !== null) return -1
  return b === null ? compareText(left, right) : 1
}

/** Compares texts by UTF-16 code units. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Returns the observations in groups of equal `atMs`, in order. */
export function byMillisecond(observations: readonly Observation[]): readonly (readonly Observation[])[] {
  const groups: Observation[][] = []
  for (const it of observations) {
    const last = groups.at(-1)
    if (last?.[0]?.atMs === it.atMs) last.push(it)
    else groups.push([it])
  }
  return groups
}
