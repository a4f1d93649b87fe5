import type { JobStandards } from '../../schema/records/job-standards.ts'
import type { JobOperationRecord, JobTimes, WorkCenter } from '../../schema/records/job-operation.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'

/**
 * Source of each value, first that has it: the operation's work center entry for the machine, the first entry for one
 * of the machine's groups, the operation. A part time or multiplier of 0 counts as missing.
 */
export function jobStandardsOf(machine: MachineRecord | null, operation: JobOperationRecord | null): JobStandards {
  if (!operation) return noJob
  const tellers = [...workCentersOf(operation, machine), operation]
  const setupS = firstTold(tellers, 'expectedSetupTime', true)
  return {
    multiplier: firstTold(tellers, 'partCountMultiplier', false) ?? 1,
    idealPartMs: firstTold(tellers, 'idealPartTime', false),
    expectedPartMs: firstTold(tellers, 'expectedPartTime', false),
    expectedSetupMs: (setupS ?? 0) * 1000,
  }
}

const noJob = { multiplier: 1, idealPartMs: null, expectedPartMs: null, expectedSetupMs: 0 }

/** The entry for the machine, then those for its groups in the order of the operation. */
function workCentersOf(operation: JobOperationRecord, machine: MachineRecord | null): readonly WorkCenter[] {
  if (!machine || operation.workCenters.length === 0) return []
  const { workCenters } = operation
  const ofGroup = ({ machineGroupId }: WorkCenter) =>
    machineGroupId !== null && machine.machineGroupIds.includes(machineGroupId)
  return [...workCenters.filter(({ machineId }) => machineId === machine.id), ...workCenters.filter(ofGroup)]
}

function firstTold(tellers: readonly JobTimes[], name: keyof JobTimes, zeroTells: boolean): number | null {
  return tellers.map(teller => teller[name]).find(value => value !== null && (zeroTells || value !== 0)) ?? null
}
