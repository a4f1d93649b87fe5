import type { PartitionInputs } from '../../../processors/partitions/machine-tracks.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import type { MachineRef } from '../../../schema/refs.ts'

/** Returns inputs that are the same for all hours of a machine. */
export function memoryInputs(inputsOf: (machineRef: MachineRef) => MachineInputs): PartitionInputs {
  return {
    parametersOf: inputsOf,
    read: machines => Promise.resolve(new Map(machines.map(machineRef => [machineRef, inputsOf(machineRef)]))),
  }
}
