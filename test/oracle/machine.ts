import type { Mode } from '../../schema/document.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { ScheduleRecord, ShiftTimes } from '../../schema/records/schedule.ts'
import { alarmInstances } from './alarms.ts'
import type { AlarmInstance } from './alarms.ts'
import { inForce, local, midnights, shiftInstances } from './calendar.ts'
import type { ShiftInstance } from './calendar.ts'
import { modeAt, runSpans, signIns } from './jobs.ts'
import type { RunSpan, SignIn } from './jobs.ts'
import { additionsOf } from './parts.ts'
import type { Addition } from './parts.ts'
import { milliseconds, observationsOf } from './samples.ts'
import { stateAt, stateSteps } from './states.ts'
import type { MachineState, StateStep } from './states.ts'
import type { Interval, OraclePlant } from './types.ts'

/** The state of a machine at an instant, with the run, operators, shift and reason that apply. */
export interface Moment extends MachineState {
  readonly machine: MachineRecord
  readonly shift: ShiftTimes | null
  readonly nonOptional: boolean
  readonly run: RunSpan | null
  readonly mode: Mode
  readonly scheduled: boolean
  readonly operatorIds: readonly string[]
  readonly down: boolean
  /** Reason of the downtime: id of a reason, `setup` or `uncategorized`. */
  readonly reason: string
}

/** A maximal interval without a change, within the requested interval. */
export interface Piece extends Interval {
  readonly moment: Moment
}

/** A machine of the plant with all samples and records. */
export interface MachineView {
  readonly machine: MachineRecord
  /** The time that reports count: commissioned, not decommissioned, not after now. It may be empty. */
  readonly active: Interval
  readonly steps: readonly StateStep[]
  readonly alarms: readonly AlarmInstance[]
  readonly additions: readonly Addition[]
  readonly runs: readonly RunSpan[]
  readonly adjustments: readonly PartAdjustmentRecord[]
  /** Minimum length of the downtime records that count. */
  readonly microstopMs: number
  /** Returns the moment at an instant of the interval that `viewMachine` received. */
  momentAt(atMs: number): Moment
  /** Returns the interval, cut to `active` and at every instant of a change. */
  elements(over: Interval): readonly Piece[]
}

/** Creates the view of a machine; `over` contains all instants that are requested later. */
export function viewMachine(plant: OraclePlant, machine: MachineRecord, over: Interval): MachineView {
  const observations = observationsOf(machine.id, plant.samples, plant.nowMs, plant.company.maxSampleAgeDays)
  const steps = stateSteps(observations, machine, plant.nowMs)
  const additions = additionsOf(observations, machine)
  const active = activeTime(machine, observations[0]?.atMs ?? Infinity, plant.nowMs)
  const runs = runSpans(
    plant,
    machine,
    additions.filter(it => containsInstant(active, it.atMs)),
  )
  const operators = signIns(plant, machine)
  const schedule = plant.schedules.find(it => it.id === machine.scheduleId) ?? null
  const shifts = schedule ? shiftInstances(schedule, over, plant.company.timeZone) : []
  const annotations = plant.annotations
    .filter(it => it.machineId === machine.id)
    .map(it => ({
      reason: String(it.reasonId),
      startMs: milliseconds(it.startAt),
      endMs: it.endAt === null ? Infinity : milliseconds(it.endAt),
    }))

  function momentAt(atMs: number): Moment {
    const state = stateAt(steps, atMs)
    const shift = shifts.findLast(it => containsInstant(it, atMs))?.shift ?? null
    const nonOptional = shift ? !shift.optional : isRoundTheClock(schedule, atMs, plant.company.timeZone)
    const run = runs.find(it => containsInstant(it, atMs)) ?? null
    const mode = modeAt(run, atMs)
    const byJob = (machine.scheduledBy ?? plant.company.scheduledBy) === 'job'
    const scheduled = byJob ? run !== null : nonOptional || (shift !== null && run !== null)
    const operatorIds = new Set(operators.filter(it => containsInstant(it, atMs)).map(it => it.operatorId))
    const annotation = annotations.find(it => containsInstant(it, atMs))
    return {
      status: state.status,
      inCycle: state.inCycle,
      spindle: state.spindle,
      cut: state.cut,
      machine,
      shift,
      nonOptional,
      run,
      mode,
      scheduled,
      operatorIds: [...operatorIds],
      down: scheduled && !state.inCycle,
      reason: annotation?.reason ?? (mode === 'setup' ? 'setup' : 'uncategorized'),
    }
  }

  function elements(asked: Interval): readonly Piece[] {
    const within = intersection(asked, active)
    const changes = [
      ...[steps, shifts, runs, operators, annotations].flatMap((list: readonly (Interval | SignIn | ShiftInstance)[]) =>
        list.flatMap(it => [it.startMs, it.endMs]),
      ),
      ...runs.map(it => it.productionMs),
      ...midnights(within, plant.company.timeZone),
    ]
    return cutAt(within, changes).map(({ startMs, endMs }) => ({ startMs, endMs, moment: momentAt(startMs) }))
  }

  return {
    machine,
    active,
    steps,
    additions,
    runs,
    momentAt,
    elements,
    alarms: alarmInstances(machine.id, observations),
    adjustments: plant.adjustments.filter(it => it.machineId === machine.id),
    microstopMs: machine.microstopMs ?? plant.company.microstopMs,
  }
}

function activeTime(machine: MachineRecord, firstSampleMs: number, nowMs: number): Interval {
  const startMs =
    machine.commissionedAt === null
      ? Math.min(milliseconds(machine.createdAt), firstSampleMs)
      : milliseconds(machine.commissionedAt)
  const decommissionedMs = machine.decommissionedAt === null ? Infinity : milliseconds(machine.decommissionedAt)
  return { startMs, endMs: Math.min(decommissionedMs, nowMs) }
}

/** Whether the machine is scheduled around the clock: it has no schedule, or no version is in force on that date. */
function isRoundTheClock(schedule: ScheduleRecord | null, atMs: number, timeZone: string): boolean {
  return !schedule || inForce(schedule, local(atMs, timeZone).toPlainDate()) === null
}

/** Whether the instant lies within the interval. */
export function containsInstant({ startMs, endMs }: Interval, atMs: number): boolean {
  return startMs <= atMs && atMs < endMs
}

/** Returns the intersection of two intervals; if they are disjoint, it is empty (`endMs` = `startMs`). */
export function intersection(a: Interval, b: Interval): Interval {
  const startMs = Math.max(a.startMs, b.startMs)
  return { startMs, endMs: Math.max(startMs, Math.min(a.endMs, b.endMs)) }
}

/** Returns the interval, cut at the instants within it. */
export function cutAt(interval: Interval, instants: readonly number[]): readonly Interval[] {
  const { startMs, endMs } = interval
  if (endMs <= startMs) return []
  const inside = instants.filter(it => it > startMs && it < endMs)
  const bounds = [...new Set([startMs, ...inside, endMs])].toSorted((a, b) => a - b)
  return bounds.slice(1).map((end, index) => ({ startMs: bounds[index] ?? startMs, endMs: end }))
}
