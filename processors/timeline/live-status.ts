import type { LiveStatus } from '../../schema/topics.ts'
import { statusOf } from './bits.ts'
import { Machine } from './machine.ts'
import { staleFrom } from './staleness.ts'
import type { MachineState } from './state.ts'
import type { MachineParameters } from './types.ts'

type Faults = LiveStatus['faults']

/**
 * Maximum bytes of the faults of one status as JSON, about a thousand faults: a status must fit into a record of the
 * log.
 */
const maxFaultBytes = 150_000

/**
 * Returns the status of a machine at `atMs`. `state`: after its last sample until then, from `replay` or `computeHour`,
 * which do not include a later stale period. `sinceMs` is the creation of the machine if its status has never changed.
 */
export function liveStatus(parameters: MachineParameters, state: MachineState, atMs: number): LiveStatus {
  const { settings, machineRef } = parameters
  const status = statusOf(new Machine(state, settings).bits)
  const sinceMs = state.statusSinceMs ?? parameters.commissioned.createdMs
  const faults = listFaults(state)
  const staleFromMs = staleFrom(settings, state.lastSeenMs)
  if (status === 'UNAVAILABLE' || atMs < staleFromMs) return { machineRef, status, sinceMs, faults }
  return { machineRef, status: 'UNAVAILABLE', sinceMs: staleFromMs, faults }
}

/** Returns the faults up to the limit of bytes. Only the first message is included, because clients show one. */
function listFaults({ conditions, stops }: MachineState): Faults {
  const faults = conditions
    .filter(({ level }) => level === 'FAULT')
    .map(({ key, type, level, message, startMs }) => ({ key, type, value: level, message, atMs: startMs }))
  const value = 'TRIGGERED'
  const triggered = stops.map(({ key, type, startMs }) => ({ key, type, value, message: '', atMs: startMs }))
  return truncateFaults(withOneMessage([...faults, ...triggered]))
}

function withOneMessage(faults: Faults): Faults {
  const firstIndex = faults.findIndex(({ message }) => message !== '')
  return faults.map((fault, index) => (index === firstIndex ? fault : { ...fault, message: '' }))
}

function truncateFaults(faults: Faults): Faults {
  let bytes = 0
  const end = faults.findIndex(fault => (bytes += Buffer.byteLength(JSON.stringify(fault))) > maxFaultBytes)
  return end < 0 ? faults : faults.slice(0, end)
}
