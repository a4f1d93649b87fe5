import type { AlarmInstance } from './alarms.ts'
import { downtimeRecords, microstopMarginMs } from './downtime.ts'
import type { DowntimeRecord } from './downtime.ts'
import { viewMachine } from './machine.ts'
import type { Addition } from './parts.ts'
import { cyclesOf } from './states.ts'
import type { StateStep } from './states.ts'
import type { Interval, OraclePlant } from './types.ts'

export { compareReports, expectSameReport } from './compare.ts'
export { nativeCodeId } from './groups.ts'
export { productionMetricNames } from './metrics.ts'
export { oracleReport, rangeOf } from './report.ts'
export type * from './types.ts'

/** What one machine did from its first sample to now, commissioned or not. */
export interface MachineHistory {
  readonly steps: readonly StateStep[]
  readonly cycles: readonly Interval[]
  /** Parts of samples before any multiplier. */
  readonly additions: readonly Addition[]
}

const noTime: Interval = { startMs: 0, endMs: 0 }

/** Status, cycles and part instants of every machine, by its id. */
export function oracleStates(plant: OraclePlant): Readonly<Record<string, MachineHistory>> {
  return byMachine(plant, noTime, ({ steps, additions }) => ({ steps, cycles: cyclesOf(steps), additions }))
}

/** Every alarm instance that touches a machine's counted time, with its own whole bounds, by machine id. */
export function oracleAlarms(plant: OraclePlant): Readonly<Record<string, readonly AlarmInstance[]>> {
  return byMachine(plant, noTime, ({ alarms, active }) =>
    alarms.filter(it => Math.max(it.startMs, active.startMs) < Math.min(it.endMs ?? Infinity, active.endMs)),
  )
}

/** The downtime records that touch the interval, by machine id; see `downtimeRecords` on their bounds. */
export function oracleDowntime(
  plant: OraclePlant,
  over: Interval,
): Readonly<Record<string, readonly DowntimeRecord[]>> {
  const wide = { startMs: over.startMs - microstopMarginMs, endMs: over.endMs + microstopMarginMs }
  return byMachine(plant, wide, view => downtimeRecords(view, over))
}

function byMachine<T>(
  plant: OraclePlant,
  over: Interval,
  read: (view: ReturnType<typeof viewMachine>) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(plant.machines.map(machine => [machine.id, read(viewMachine(plant, machine, over))]))
}
