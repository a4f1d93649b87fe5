import type { MachineRecord } from '../../schema/records/machine.ts'
import { byMillisecond, canonical, decimal } from './samples.ts'
import type { Observation } from './samples.ts'
import { isCycling, isExecution } from './states.ts'

/** Parts that one sample adds, before any multiplier; may be negative. */
export interface Addition {
  readonly atMs: number
  readonly parts: number
}

/** Parts that the machine's samples add, in order; additions of 0 are left out. */
export function additionsOf(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  return rule(observations, machine).filter(it => it.parts !== 0)
}

function rule(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  switch (machine.partCounter) {
    case 'counter':
      return countersOf(observations, machine).flatMap(values => counted(values, machine))
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

/** The values of each counter; what is no count is passed over. */
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

/** Parts that each value of a counter adds, computed from the two values before it. */
function counted(values: readonly CounterValue[], machine: MachineRecord): readonly Addition[] {
  const added: number[] = []
  values.forEach(({ value }, index) => {
    const last = values[index - 1]?.value
    const beforeLast = values[index - 2]?.value
    added.push(last === undefined ? 0 : limited(addition(value, last, beforeLast, added[index - 1] ?? 0)))
  })
  return values.map(({ atMs }, index) => ({ atMs, parts: added[index] ?? 0 }))

  function limited(parts: number): number {
    return parts > machine.maxPartJump ? 0 : parts
  }

  function addition(value: number, last: number, beforeLast: number | undefined, addedByLast: number): number {
    const lastWasGlitch =
      beforeLast !== undefined && last < beforeLast && beforeLast > machine.maxResetParts && value >= beforeLast
    if (lastWasGlitch) return value - beforeLast - addedByLast
    if (value >= last) return value - last
    return value <= machine.maxResetParts && value <= last / 2 ? value : 0
  }
}

const inProgramValues = new Set(['ACTIVE', 'WAIT', 'FEED_HOLD', 'INTERRUPTED', 'OPTIONAL_STOP', 'PROGRAM_STOPPED'])

/** One part whenever the last key leaves its program. */
function cycled(observations: readonly Observation[], machine: MachineRecord): readonly Addition[] {
  const execution = new Map<string, string>()
  const inProgram = new Set<string>()
  const additions: Addition[] = []
  let lastMs = Infinity
  for (const group of byMillisecond(observations)) {
    const atMs = group[0]?.atMs ?? 0
    if (machine.staleAfterMs !== null && atMs - lastMs > machine.staleAfterMs) {
      inProgram.clear()
      // The last values hold again, save where this very instant brings another.
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
    // Status is what holds after all samples of the millisecond.
    const unavailable = [...execution.values()].every(value => value === 'UNAVAILABLE')
    if (!unavailable) additions.push(...Array.from({ length: ends }, () => ({ atMs, parts: 1 })))
    lastMs = atMs
  }
  return additions
}

/** One part for each change to PROGRAM_COMPLETED from a value that is not UNAVAILABLE. */
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
