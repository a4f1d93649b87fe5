import type { JobStandards } from '../../schema/records/job-standards.ts'
import type { JobOperationRecord, JobTimes, WorkCenter } from '../../schema/records/job-operation.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'

/**
 * Returns the standards of an operation on a machine. Each value is read from the first source that has it: the
 * operation's work center for the machine, its first work center for one of the machine's groups, the operation. A part
 * time or multiplier of 0 counts as missing.
 */
export function jobStandardsOf(machine: MachineRecord | null, operation: JobOperationRecord | null): JobStandards {
  if (!operation) return noJob
  const sources = [...workCentersOf(operation, machine), operation]
  const setupS = firstValue(sources, 'expectedSetupTime', true)
  return {
    multiplier: firstValue(sources, 'partCountMultiplier', false) ?? 1,
    idealPartMs: firstValue(sources, 'idealPartTime', false),
    expectedPartMs: firstValue(sources, 'expectedPartTime', false),
    expectedSetupMs: (setupS ?? 0) * 1000,
  }
}

const noJob = { multiplier: 1, idealPartMs: null, expectedPartMs: null, expectedSetupMs: 0 }

/** Returns the work centers for the machine, then those for its groups, in the order of the operation. */
function workCentersOf(operation: JobOperationRecord, machine: MachineRecord | null): readonly WorkCenter[] {
  if (!machine || operation.workCenters.length === 0) return []
  const { workCenters } = operation
  const ofGroup = ({ machineGroupId }: WorkCenter) =>
    machineGroupId !== null && machine.machineGroupIds.includes(machineGroupId)
  return [...workCenters.filter(({ machineId }) => machineId === machine.id), ...workCenters.filter(ofGroup)]
}

function firstValue(sources: readonly JobTimes[], name: keyof JobTimes, zeroCounts: boolean): number | null {
  return sources.map(source => source[name]).find(value => value !== null && (zeroCounts || value !== 0)) ?? null
}
