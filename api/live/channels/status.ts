import type { Records } from '../../../processors/records/records.ts'
import type { LiveStatus } from '../../../schema/topics.ts'
import type { ChannelCore } from '../channel.ts'
import { FanOut } from '../fan-out.ts'
import type { LatestStatuses } from '../latest-statuses.ts'
import { statusFrame } from '../updates.ts'
import { setMachines } from './managed-machines.ts'
import type { MachineRef } from '../../../schema/refs.ts'

type MachineRecords = Pick<Records, 'get' | 'machineByRef'>

/** `status`: every machine's status once, then each change. */
export class StatusChannel implements ChannelCore {
  readonly name = 'status'
  readonly #records: MachineRecords
  readonly #statuses: LatestStatuses
  readonly #fanOut = new FanOut<MachineRef>({
    snapshot: (machineRef, fromPlace, show) => {
      if (fromPlace === 0) show(this.#frame(machineRef), 0)
    },
    placeOf: () => 0,
    frameOf: machineRef => this.#frame(machineRef),
  })
  readonly commands

  constructor(records: MachineRecords, statuses: LatestStatuses) {
    this.#records = records
    this.#statuses = statuses
    this.commands = { set_machines: setMachines(records, this.#fanOut) }
  }

  /** The status of the machine has changed. */
  changed(machineRef: MachineRef): void {
    this.#fanOut.publish(machineRef, machineRef, machineRef)
  }

  left(member: Parameters<ChannelCore['left']>[0]): void {
    this.#fanOut.remove(member.subscriber)
  }

  #frame(machineRef: MachineRef) {
    const record = this.#records.machineByRef(machineRef)
    return statusFrame(this.#statuses.get(machineRef) ?? neverHeardOf(machineRef, record?.createdAt), record?.id ?? '')
  }
}

/** A machine without a status counts as unavailable since its creation. */
function neverHeardOf(machineRef: MachineRef, createdAt = ''): LiveStatus {
  return { machineRef, status: 'UNAVAILABLE', sinceMs: Date.parse(createdAt) || 0, faults: [] }
}
