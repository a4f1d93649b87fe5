import type { AlarmInstance } from './alarms.ts'
import { viewMachine } from './machine.ts'
import type { Addition } from './parts.ts'
import { cyclesOf } from './states.ts'
import type { StateStep } from './states.ts'
import type { Interval, OraclePlant } from './types.ts'

export { expectSameReport } from './compare.ts'
export { nativeCodeId } from './groups.ts'
export { productionMetricNames } from './metrics.ts'
export { oracleReport } from './report.ts'
export type * from './types.ts'

/**
 * States, cycles and parts of one machine from its first sample to now, inside and outside of its commissioned time.
 */
export interface MachineHistory {
  readonly steps: readonly StateStep[]
  readonly cycles: readonly Interval[]
  /** Parts that samples add, before they are multiplied. */
  readonly additions: readonly Addition[]
}

const noTime: Interval = { startMs: 0, endMs: 0 }

/** Returns status, cycles and part instants of every machine, by its id. */
export function oracleStates(plant: OraclePlant): Readonly<Record<string, MachineHistory>> {
  return byMachine(plant, noTime, ({ steps, additions }) => ({ steps, cycles: cyclesOf(steps), additions }))
}

/**
 * Returns all alarm instances that overlap the counted time of a machine, with their full start and end, by machine id.
 */
export function oracleAlarms(plant: OraclePlant): Readonly<Record<string, readonly AlarmInstance[]>> {
  return byMachine(plant, noTime, ({ alarms, active }) =>
    alarms.filter(it => Math.max(it.startMs, active.startMs) < Math.min(it.endMs ?? Infinity, active.endMs)),
  )
}

function byMachine<T>(
  plant: OraclePlant,
  over: Interval,
  read: (view: ReturnType<typeof viewMachine>) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(plant.machines.map(machine => [machine.id, read(viewMachine(plant, machine, over))]))
}
