import type { LiveStatus } from '../../schema/topics.ts'
import { statusOf } from './bits.ts'
import { Machine } from './machine.ts'
import { staleFrom } from './staleness.ts'
import type { MachineState } from './state.ts'
import type { MachineInputs } from './types.ts'

type Faults = LiveStatus['faults']

/** Bytes that the faults of one status may take as JSON: about a thousand faults. A status must fit a record of the log. */
const mostFaultBytes = 150_000

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

/** Faults up to a limit; only the first message is included, because clients show one. */
function faultsOf({ conditions, stops }: MachineState): Faults {
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
  return fitting(withOneMessage([...faults, ...triggered]))
}

function withOneMessage(faults: Faults): Faults {
  const told = faults.findIndex(({ message }) => message !== '')
  return faults.map((fault, index) => (index === told ? fault : { ...fault, message: '' }))
}

function fitting(faults: Faults): Faults {
  let bytes = 0
  const end = faults.findIndex(fault => (bytes += Buffer.byteLength(JSON.stringify(fault))) > mostFaultBytes)
  return end < 0 ? faults : faults.slice(0, end)
}
