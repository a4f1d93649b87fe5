import { flag, machineRef, wide } from '../../../clickhouse/client/kinds.ts'
import { columns } from '../../../clickhouse/client/rows.ts'
import { statusCodes } from '../../../clickhouse/tables/values.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { MachineStates, MachineStateSteps } from '../../../schema/requests/machine-states.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { type DocumentReads, readScope } from '../compile/select.ts'
import { compileStates } from './compile.ts'

/** A valid request for the states of machines. */
export interface StatesRequest {
  readonly machines: readonly MachineRecord[]
  readonly range: TimeRange
  readonly points: number
}

type State = Pick<MachineStateSteps, 'status' | 'scheduled'>

const noState: State = { status: null, scheduled: false }

/** The state of each machine in each step of a range. Rejects as reports do. */
export async function readStates(request: StatesRequest, deps: DocumentReads): Promise<MachineStates> {
  const { machines, range, points } = request
  const stepMs = Math.ceil((range.endMs - range.startMs) / points)
  const count = Math.ceil((range.endMs - range.startMs) / stepMs)
  const states = await readSteps(request, { stepMs, count }, deps)
  return {
    start: isoText(range.startMs),
    stepMs,
    machines: machines.map(({ id, ref }) => ({ machineId: id, states: joined(states.get(ref) ?? []) })),
  }
}

async function readSteps(
  { machines, range }: StatesRequest,
  { stepMs, count }: { readonly stepMs: number; readonly count: number },
  deps: DocumentReads,
): Promise<ReadonlyMap<MachineRef, State[]>> {
  const states = new Map(machines.map(({ ref }) => [ref, Array.from({ length: count }, () => noState)]))
  const past = { startMs: range.startMs, endMs: Math.min(range.endMs, deps.view.nowMs) }
  if (machines.length === 0 || past.startMs >= past.endMs) return states
  const scope = await readScope(past, [...states.keys()], deps)
  const found = await columns(deps.store, compileStates(scope, past, { stepMs }), shape, deps.options)
  const slice = new TimeSlice()
  for (const [i, ref] of found.machine.entries()) {
    if (slice.isOver) await slice.next()
    const [step, status, scheduled] = [found.step[i], found.status[i], found.scheduled[i]]
    const of = states.get(ref)
    if (of && step !== undefined && status !== undefined) of[step] = { status, scheduled: scheduled === true }
  }
  return states
}

const shape = { machine: machineRef, step: wide, status: statusCodes.kind, scheduled: flag } as const

/** Consecutive steps of one state as one element. */
function joined(states: readonly State[]): readonly MachineStateSteps[] {
  const all: { status: State['status']; scheduled: boolean; steps: number }[] = []
  for (const { status, scheduled } of states) {
    const last = all.at(-1)
    if (last && last.status === status && last.scheduled === scheduled) last.steps++
    else all.push({ status, scheduled, steps: 1 })
  }
  return all
}
