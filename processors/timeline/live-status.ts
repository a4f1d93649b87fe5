import type { LiveStatus } from '../../schema/topics.ts'
import { statusOf } from './bits.ts'
import { Machine } from './machine.ts'
import { staleFrom } from './staleness.ts'
import type { MachineState } from './state.ts'
import type { MachineInputs } from './types.ts'

/**
 * Status of a machine at `atMs`, by the state after its last sample up to then (`replay` and `computeHour` both give it:
 * it knows of no staleness that came later). `sinceMs` is the machine's creation where the status never was another.
 */
export function liveStatus(inputs: MachineInputs, state: MachineState, atMs: number): LiveStatus {
  const { settings, machineRef } = inputs
  const status = statusOf(new Machine(state, settings).bits)
  const sinceMs = state.statusSinceMs ?? inputs.commissioned.createdMs
  const faults = faultsOf(state)
  const staleFromMs = staleFrom(settings, state.lastSeenMs)
  if (status === 'UNAVAILABLE' || atMs < staleFromMs) return { machineRef, status, sinceMs, faults }
  return { machineRef, status: 'UNAVAILABLE', sinceMs: staleFromMs, faults }
}

function faultsOf({ conditions, stops }: MachineState): LiveStatus['faults'] {
  const faults = conditions
    .filter(({ level }) => level === 'FAULT')
    .map(({ key, type, level, message, startMs }) => ({ key, type, value: level, message, atMs: startMs }))
  const triggered = stops.map(({ key, type, startMs }) => ({
    key,
    type,
    value: 'TRIGGERED',
    message: '',
    atMs: startMs,
  }))
  return [...faults, ...triggered]
}
