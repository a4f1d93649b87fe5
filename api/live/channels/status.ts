import type { MachineRef } from '../../../schema/refs.ts'
import type { LiveStatus } from '../../../schema/topics.ts'
import type { ChannelDeclaration } from './channel.ts'
import type { LatestStatuses } from '../values/latest-statuses.ts'
import { statusFrame } from './updates.ts'
import { machineChannel, type MachineRecords } from './machine-channel.ts'

interface StatusDeps {
  readonly records: MachineRecords
  readonly statuses: LatestStatuses
}

/** `status`: every machine's status once, then each change. */
export function statusChannel({ records, statuses }: StatusDeps): ChannelDeclaration {
  const frameOf = (machineRef: MachineRef) => {
    const record = records.machineByRef(machineRef)
    return statusFrame(statuses.get(machineRef) ?? initialStatus(machineRef, record?.createdAt), record?.id ?? '')
  }
  const { fanOut, declaration } = machineChannel<MachineRef>('status', records, {
    snapshot: (machineRef, fromIndex, show) => {
      if (fromIndex === 0) show(frameOf(machineRef), 0)
    },
    indexOf: () => 0,
    frameOf,
  })
  return {
    ...declaration,
    statusPublished(machineRef, isChange) {
      if (isChange) fanOut.publish(machineRef, machineRef, machineRef)
    },
  }
}

/** A machine without a status counts as unavailable since its creation. */
function initialStatus(machineRef: MachineRef, createdAt = ''): LiveStatus {
  return { machineRef, status: 'UNAVAILABLE', sinceMs: Date.parse(createdAt) || 0, faults: [] }
}
