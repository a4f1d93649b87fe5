import { type Phase } from './day-plan.ts'
import { dayMs, hourMs, minuteMs } from '../../shared/time/units.ts'
import {
  demoRecords,
  type DemoAdjustmentType,
  type DemoJobOperation,
  type DemoReason,
  type DemoRecords,
} from './demo-records.ts'
import type { Plant } from './plant.ts'
import { Random, hash, uuidOf } from './random.ts'

/** Action of an operator or the ERP for one machine of a simulated plant, at an instant (UTC ms). */
export type DemoAction = { readonly atMs: number; readonly machineId: string } & (
  | {
      readonly kind: 'startRun'
      readonly runId: string
      readonly operation: DemoJobOperation
      readonly inSetup: boolean
    }
  | { readonly kind: 'production' | 'endRun'; readonly runId: string }
  | { readonly kind: 'signIn' | 'signOut'; readonly operatorId: string }
  | { readonly kind: 'annotate'; readonly id: string; readonly reason: DemoReason; readonly startMs: number }
  | { readonly kind: 'reject'; readonly type: DemoAdjustmentType; readonly parts: number }
)

const firstRunHour = 6
const lastRunHour = 22
const setupMs = 25 * minuteMs
const shiftHours = [6, 14, 22]
const shiftMs = 8 * hourMs
/** Number of machines with operators: the first ones only, because a plant of thousands would have too many records. */
export const attendedMachines = 240
/** Minimum duration of a stop to which an operator assigns a reason. */
const minNotedMs = 4 * minuteMs
const longStopMs = 120 * minuteMs
/** Hours of a day between which parts are inspected; the starts of shifts are among them: rejects belong to the shift of their parts. */
const inspectionHours = [0, 2, 6, 10, 14, 18, 22, 24]
const rejectRate = 0.025

/**
 * Returns the actions of one machine with `fromMs <= atMs < toMs`, in order. Adjacent intervals return the same actions
 * as the combined interval.
 */
export function demoActions(plant: Plant, machine: number, fromMs: number, toMs: number): readonly DemoAction[] {
  const operation = demoRecords({ ...plant, machines: plant.machines.slice(machine, machine + 1) }).jobOperations[0]
  if (!operation) throw new RangeError(`Unknown machine index ${machine}`)
  const actions: DemoAction[] = []
  // Sign-outs and reasons may belong to something that started on the previous day.
  for (let dayStartMs = floorTo(fromMs, dayMs) - dayMs; dayStartMs < toMs; dayStartMs += dayMs) {
    actions.push(...jobActions(plant, machine, dayStartMs, operation))
    if (machine < attendedMachines) actions.push(...operatorActions(plant, machine, dayStartMs, operation))
  }
  return actions.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).sort((a, b) => a.atMs - b.atMs)
}

/** Returns the start of the job runs that are in progress at an instant; both UTC ms. Later actions refer to no earlier run. */
export function runsStartMs(atMs: number): number {
  const startMs = firstRunHour * hourMs
  return floorTo(atMs - startMs, dayMs) + startMs
}

/**
 * Returns the job run of a day. Every third machine starts it in setup; machines that rarely work at night end it in
 * the evening.
 */
function jobActions(
  { machines }: Plant,
  machine: number,
  dayStartMs: number,
  operation: DemoJobOperation,
): readonly DemoAction[] {
  const { machineId } = operation
  const atMs = dayStartMs + firstRunHour * hourMs
  const runId = `DEMO-${machine + 1}-${new Date(dayStartMs).toISOString().slice(0, 10)}`
  const lotName = (dayStartMs / dayMs) % 2 === 0 ? operation.lotName : `${operation.lotName}2`
  const inSetup = machine % 3 === 0
  const worksAtNight = (machines[machine]?.nightWork ?? 0) >= 0.5
  const actions: DemoAction[] = [
    { kind: 'startRun', atMs, machineId, runId, operation: { ...operation, lotName }, inSetup },
  ]
  if (inSetup) actions.push({ kind: 'production', atMs: atMs + setupMs, machineId, runId })
  if (!worksAtNight) actions.push({ kind: 'endRun', atMs: dayStartMs + lastRunHour * hourMs, machineId, runId })
  return actions
}

function operatorActions(
  plant: Plant,
  machine: number,
  dayStartMs: number,
  { machineId, idealPartTime }: DemoJobOperation,
) {
  const phases = plant.phases(machine, dayStartMs)
  const random = new Random(hash(machine, dayStartMs / dayMs, 20))
  return [
    ...signIns(machine, machineId, dayStartMs),
    ...phases.flatMap(phase => note(phase, machine, machineId, random)),
    ...inspections(phases, dayStartMs, machineId, idealPartTime ?? minuteMs, random),
  ]
}

function signIns(machine: number, machineId: string, dayStartMs: number): readonly DemoAction[] {
  return shiftHours.flatMap((hour, shift): readonly DemoAction[] => {
    const operatorId = operatorOf(machine, shift).id
    const atMs = dayStartMs + hour * hourMs
    return [
      { kind: 'signIn', atMs, machineId, operatorId },
      { kind: 'signOut', atMs: atMs + shiftMs, machineId, operatorId },
    ]
  })
}

/** Returns the operator of a machine in a shift: 0 to 2, from 6 o'clock UTC. */
export function operatorOf(machine: number, shift: number): DemoRecords['operators'][number] {
  const { operators } = demoRecords({ machines: [], language: 'en' })
  const operator = operators[(Math.floor(machine / 4) + 2 * shift) % operators.length]
  if (!operator) throw new Error('Invariant: the plant has operators')
  return operator
}

/** Returns the reason that an operator assigns after a longer stop; in some cases none. */
function note(phase: Phase, machine: number, machineId: string, random: Random): readonly DemoAction[] {
  const isForgotten = random.chance(0.2)
  const { kind, startMs, endMs, index } = phase
  if (kind === 'cycle' || kind === 'load' || endMs - startMs < minNotedMs || isForgotten) return []
  const id = uuidOf(machine, Math.floor(startMs / dayMs), index, 21)
  return [{ kind: 'annotate', atMs: endMs, machineId, id, startMs, reason: reasonOf(phase, random) }]
}

function reasonOf({ kind, startMs, endMs }: Phase, random: Random): DemoReason {
  const lengthMs = endMs - startMs
  if (kind === 'fault') return 'Breakdown'
  if (lengthMs > longStopMs) return 'No orders'
  if (lengthMs >= 24 * minuteMs && lengthMs < 38 * minuteMs) return 'Break'
  return random.pick(['No material', 'Tool change', 'Tool change', 'Maintenance'])
}

/** Returns the inspections of a day: at least every four hours, some parts are rejected. */
function inspections(
  phases: readonly Phase[],
  dayStartMs: number,
  machineId: string,
  partMs: number,
  random: Random,
): readonly DemoAction[] {
  const actions: DemoAction[] = []
  for (const [index, hour] of inspectionHours.slice(1).entries()) {
    const startMs = dayStartMs + (inspectionHours[index] ?? 0) * hourMs
    const lengthMs = dayStartMs + hour * hourMs - startMs
    const atMs = Math.floor(startMs + random.between(0.6, 1) * lengthMs)
    const made = phases.filter(({ kind, endMs }) => kind === 'cycle' && endMs > startMs && endMs <= atMs).length
    const parts = Math.min(made, Math.round(random.between(0, 2) * rejectRate * (lengthMs / partMs)))
    const type: DemoAdjustmentType = random.chance(0.7) ? 'Out of tolerance' : 'Surface'
    if (parts > 0) actions.push({ kind: 'reject', atMs, machineId, type, parts })
  }
  return actions
}

function floorTo(atMs: number, unitMs: number): number {
  return Math.floor(atMs / unitMs) * unitMs
}
