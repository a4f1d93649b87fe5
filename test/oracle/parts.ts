import type { MachineRecord } from '../../schema/records/machine.ts'
import { byMillisecond, canonical, decimal } from './samples.ts'
import type { Observation } from './samples.ts'
import { isCycling, isExecution } from './states.ts'

/** Parts that one sample adds, before they are multiplied; may be negative. */
export interface Addition {
  readonly atMs: number
  readonly parts: number
}

/** Returns the parts that the machine's samples add, in order, without additions of 0. */
export function additionsOf(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  return rule(observations, machine).filter(it => it.parts !== 0)
}

function rule(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  switch (machine.partCounter) {
    case 'counter':
      return countersOf(observations, machine).flatMap(values => counted(values, machine))
    case 'increment':
      return countersOf(observations, machine).flatMap(values => reported(values, machine))
    case 'cycle':
      return cycled(observations, machine)
    case 'program':
      return completed(observations, machine)
    case 'none':
      return []
    default:
      throw new Error(`unknown part counter ${String(machine.partCounter satisfies never)}`)
  }
}

interface CounterValue {
  readonly atMs: number
  readonly value: number
}

const partCountType = canonical('PART_COUNT')

/** Returns the values of each counter, without values that are not counts. */
function countersOf(
  observations: readonly Observation[],
  machine: MachineRecord,
): readonly (readonly CounterValue[])[] {
  const counters = new Map<string, CounterValue[]>()
  for (const it of observations) {
    const value = decimal(it.value)
    if (it.isCondition || !isCounter(it, machine.partCountKey) || value === null || value < 0) continue
    const values = counters.get(it.key) ?? []
    values.push({ atMs: it.atMs, value })
    counters.set(it.key, values)
  }
  return [...counters.values()]
}

function isCounter(it: Observation, partCountKey: string | null): boolean {
  if (partCountKey !== null) return it.key === canonical(partCountKey)
  return it.type === partCountType && ['', 'ALL'].includes(it.subtype)
}

/** A value of a counter with its addition. */
interface CountedValue extends CounterValue, Addition {
  /** Value from which the addition is counted: addition = value - origin. */
  readonly origin: number
  /** Whether the addition exceeded `maxPartJump`, so that it is 0. */
  readonly isJump: boolean
  /** Whether this value shows that the previous one was a spike. */
  readonly endsSpike: boolean
}

/**
 * Returns the parts that each value of a counter adds, which depend on the two previous different values. A repeated
 * value adds nothing.
 */
function counted(values: readonly CounterValue[], machine: MachineRecord): readonly Addition[] {
  const history: CountedValue[] = []
  for (const it of values) if (it.value !== history.at(-1)?.value) history.push(judged(it, history, machine))
  return history
}

function judged(it: CounterValue, history: readonly CountedValue[], machine: MachineRecord): CountedValue {
  const endsSpike = isAfterSpike(it.value, history, machine)
  const origin = originOf(it.value, history, endsSpike, machine)
  const isJump = it.value - origin > machine.maxPartJump
  return { ...it, origin, isJump, endsSpike, parts: isJump ? 0 : it.value - origin }
}

function isAfterSpike(value: number, history: readonly CountedValue[], { maxPartJump }: MachineRecord): boolean {
  const last = history.at(-1)
  if (!last?.isJump || value >= last.value) return false
  return value >= last.origin && value - last.origin <= maxPartJump
}

/** Returns the value from which the addition is counted; if the value adds nothing, the value itself. */
function originOf(
  value: number,
  history: readonly CountedValue[],
  endsSpike: boolean,
  { maxResetParts }: MachineRecord,
): number {
  const [last, before] = [history.at(-1), history.at(-2)]
  if (!last) return value
  if (endsSpike) return last.origin
  // The value after a dip cannot be the end of a spike.
  const isDip = before && before.value > last.value && before.value > maxResetParts && !last.endsSpike
  if (isDip && value >= before.value) return before.value + last.parts
  if (value > last.value) return last.value
  const isReset = value <= maxResetParts && value <= last.value / 2
  return isReset ? 0 : value
}

/** Returns the parts that each value of a counter reports by itself (partCounter increment). */
function reported(values: readonly CounterValue[], { maxPartJump }: MachineRecord): readonly Addition[] {
  return values
    .filter(({ value }) => value <= maxPartJump)
    .map(({ atMs, value }) => ({ atMs, parts: Math.floor(value) }))
}

const inProgramValues = new Set(['ACTIVE', 'WAIT', 'FEED_HOLD', 'INTERRUPTED', 'OPTIONAL_STOP', 'PROGRAM_STOPPED'])

/** Returns one part for each time the last key leaves its program (partCounter cycle). */
function cycled(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  const execution = new Map<string, string>()
  const inProgram = new Set<string>()
  const additions: Addition[] = []
  let lastMs = Infinity
  for (const group of byMillisecond(observations)) {
    const atMs = group[0]?.atMs ?? 0
    if (machine.staleAfterMs !== null && atMs - lastMs > machine.staleAfterMs) {
      inProgram.clear()
      // After an idle period, the last values apply again, except for keys with a sample at this instant.
      const told = new Set(group.filter(isExecution).map(it => it.key))
      for (const [key, value] of execution)
        if (isCycling(value) && !told.has(key) && counts(key, machine)) inProgram.add(key)
    }
    let ends = 0
    for (const it of group.filter(isExecution)) {
      execution.set(it.key, it.value)
      if (!counts(it.key, machine)) continue
      const wasInProgram = inProgram.size > 0
      if (isCycling(it.value)) inProgram.add(it.key)
      else if (!inProgramValues.has(it.value.toUpperCase())) inProgram.delete(it.key)
      if (wasInProgram && inProgram.size === 0) ends += 1
    }
    // The status of a millisecond is that after all its samples.
    const unavailable = [...execution.values()].every(value => value === 'UNAVAILABLE')
    if (!unavailable) additions.push(...Array.from({ length: ends }, () => ({ atMs, parts: 1 })))
    lastMs = atMs
  }
  return additions
}

/** Returns one part for each change to PROGRAM_COMPLETED from a value that is not UNAVAILABLE (partCounter program). */
function completed(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  const execution = new Map<string, string>()
  const additions: Addition[] = []
  for (const it of observations.filter(isExecution)) {
    if (!counts(it.key, machine)) continue
    const value = it.value.toUpperCase()
    const before = execution.get(it.key)
    execution.set(it.key, value)
    const changed = before !== undefined && before !== 'UNAVAILABLE' && before !== value
    if (changed && value === 'PROGRAM_COMPLETED') additions.push({ atMs: it.atMs, parts: 1 })
  }
  return additions
}

function counts(key: string, machine: MachineRecord): boolean {
  return machine.partCountKey === null || key === canonical(machine.partCountKey)
}
