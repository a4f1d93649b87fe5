import type { Status } from '../../schema/document.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { byMillisecond, canonical, decimal } from './samples.ts'
import type { Observation } from './samples.ts'
import type { Interval } from './types.ts'

/** State of a machine at an instant. */
export interface MachineState {
  readonly status: Status
  readonly inCycle: boolean
  readonly spindle: boolean
  readonly cut: boolean
}

export type StateStep = Interval & MachineState

/** The state before the first sample and while the machine is stale. */
const silent: MachineState = { status: 'UNAVAILABLE', inCycle: false, spindle: false, cut: false }

/** Returns the states from the first sample to `nowMs`, without gaps; equal adjacent states are merged. */
export function stateSteps(
  observations: readonly Observation[],
  machine: MachineRecord,
  nowMs: number,
): readonly StateStep[] {
  const signals = new Signals(machine)
  const instants = byMillisecond(observations)
  const steps: StateStep[] = []
  instants.forEach((group, index) => {
    const startMs = timeOf(group)
    const nextMs = index + 1 < instants.length ? timeOf(instants[index + 1] ?? []) : nowMs
    for (const it of group) signals.apply(it)
    const staleMs = machine.staleAfterMs === null ? Infinity : startMs + machine.staleAfterMs
    addStep(steps, { ...signals.state(), startMs, endMs: Math.min(staleMs, nextMs) })
    addStep(steps, { ...silent, startMs: Math.min(staleMs, nextMs), endMs: nextMs })
  })
  return steps
}

function timeOf(group: readonly Observation[]): number {
  return group[0]?.atMs ?? 0
}

function addStep(steps: StateStep[], step: StateStep): void {
  if (step.endMs <= step.startMs) return
  const last = steps.at(-1)
  if (last && last.endMs === step.startMs && sameState(last, step)) steps.splice(-1, 1, { ...last, endMs: step.endMs })
  else steps.push(step)
}

function sameState(a: MachineState, b: MachineState): boolean {
  return a.status === b.status && a.inCycle === b.inCycle && a.spindle === b.spindle && a.cut === b.cut
}

/** Returns the state at an instant. */
export function stateAt(steps: readonly StateStep[], atMs: number): MachineState {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((steps[middle]?.endMs ?? Infinity) <= atMs) low = middle + 1
    else high = middle
  }
  const step = steps[low]
  return step && step.startMs <= atMs ? step : silent
}

/** Returns the maximal intervals in cycle. */
export function cyclesOf(steps: readonly StateStep[]): readonly Interval[] {
  const cycles: Interval[] = []
  for (const { inCycle, startMs, endMs } of steps) {
    if (!inCycle) continue
    const last = cycles.at(-1)
    if (last?.endMs === startMs) cycles.splice(-1, 1, { startMs: last.startMs, endMs })
    else cycles.push({ startMs, endMs })
  }
  return cycles
}

const executionType = canonical('EXECUTION')
const speedTypes = new Set(['ROTARY_VELOCITY', 'SPINDLE_SPEED'].map(canonical))
const rotatingType = canonical('SPINDLE_ROTATING')
const cuttingType = canonical('CUTTING')
const estopType = canonical('EMERGENCY_STOP')

/** Whether a sample sets the execution of a path. */
export function isExecution(it: Observation): boolean {
  return !it.isCondition && it.type === executionType
}

/** Whether an execution value means that the machine is in cycle. */
export function isCycling(value: string): boolean {
  return ['ACTIVE', 'WAIT'].includes(value.toUpperCase())
}

function isOn(value: string): boolean {
  return ['TRUE', 'ACTIVE', 'ON'].includes(value.toUpperCase())
}

/** The latest values of the signals that determine state. */
class Signals {
  private readonly machine: MachineRecord
  private readonly execution = new Map<string, string>()
  private readonly speed = new Map<string, number | null>()
  private readonly rotating = new Map<string, string>()
  private readonly cutting = new Map<string, string>()
  private readonly estop = new Map<string, string>()
  private readonly conditions = new Map<string, Map<string, string>>()
  private cuttingKnown = false
  private cutValue: number | null = null

  constructor(machine: MachineRecord) {
    this.machine = machine
  }

  apply(it: Observation): void {
    if (it.isCondition) applyCondition(this.conditions, it)
    else this.applyValue(it)
  }

  private applyValue(it: Observation): void {
    if (isExecution(it)) this.execution.set(it.key, it.value)
    if (speedTypes.has(it.type) && ['', 'ACTUAL'].includes(it.subtype)) {
      if (it.value === 'UNAVAILABLE') this.speed.set(it.key, null)
      else if (decimal(it.value) !== null) this.speed.set(it.key, decimal(it.value))
    }
    if (it.type === rotatingType) this.rotating.set(it.key, it.value)
    if (it.type === estopType) this.estop.set(it.key, it.value)
    if (it.type === cuttingType) {
      this.cutting.set(it.key, it.value)
      if (it.value !== 'UNAVAILABLE') this.cuttingKnown = true
    }
    if (this.machine.cutSignal && it.key === canonical(this.machine.cutSignal.key)) {
      if (it.value === 'UNAVAILABLE') this.cutValue = null
      else this.cutValue = decimal(it.value) ?? this.cutValue
    }
  }

  state(): MachineState {
    const inCycle = [...this.execution.values()].some(isCycling)
    return { inCycle, spindle: this.spindle(), cut: this.cut(), status: this.status(inCycle) }
  }

  private spindle(): boolean {
    const above = this.machine.spindleAbove
    const turns = (speed: number | null) => speed !== null && speed !== 0 && Math.abs(speed) >= above
    return [...this.speed.values()].some(turns) || [...this.rotating.values()].some(isOn)
  }

  private cut(): boolean {
    if (this.cuttingKnown) return [...this.cutting.values()].some(isOn)
    const { cutSignal } = this.machine
    return cutSignal !== null && this.cutValue !== null && this.cutValue > cutSignal.above
  }

  private status(inCycle: boolean): Status {
    if ([...this.execution.values()].every(value => value === 'UNAVAILABLE')) return 'UNAVAILABLE'
    const faults = [...this.conditions.values()].some(codes => [...codes.values()].includes('FAULT'))
    if (faults || [...this.estop.values()].some(value => value.toUpperCase() === 'TRIGGERED')) return 'FAULT'
    return inCycle ? 'ACTIVE' : 'INACTIVE'
  }
}

/** Applies a condition sample to the active levels by key and code, as the MTConnect agent does. Changes the map. */
export function applyCondition(conditions: Map<string, Map<string, string>>, it: Observation): void {
  const codes = conditions.get(it.key) ?? new Map<string, string>()
  conditions.set(it.key, codes)
  if (it.value === 'WARNING' || it.value === 'FAULT') codes.set(it.nativeCode, it.value)
  else if (it.value === 'UNAVAILABLE' || (it.value === 'NORMAL' && it.nativeCode === '')) codes.clear()
  else if (it.value === 'NORMAL') codes.delete(it.nativeCode)
}
