import type { Records } from '../../../processors/records/records.ts'
import type { JoinPayload } from '../../../schema/requests/live.ts'
import type { ChannelCore } from '../channel.ts'
import { CommandFailed } from '../failure.ts'
import { FanOut } from '../fan-out.ts'
import type { LatestValues, ValueChange } from '../latest-values.ts'
import { valueFrame } from '../updates.ts'
import { setMachines } from './managed-machines.ts'
import type { MachineRef } from '../../../schema/refs.ts'

type MachineRecords = Pick<Records, 'get' | 'machineByRef'>

/** `diagnostics`: every metric's value once, then each change. */
export class DiagnosticsChannel implements ChannelCore {
  readonly name = 'diagnostics'
  readonly #records: MachineRecords
  readonly #fanOut: FanOut<ValueChange>
  readonly commands

  constructor(records: MachineRecords, values: LatestValues) {
    this.#records = records
    this.#fanOut = new FanOut({
      snapshot: (machineRef, fromPlace, show) => {
        const id = this.#idOf(machineRef)
        values.eachFrom(machineRef, fromPlace, value => show(valueFrame(value, id), value.metric.id))
      },
      placeOf: change => change.metric.id,
      frameOf: change => valueFrame(change, this.#idOf(change.machineRef)),
    })
    this.commands = { set_machines: setMachines(records, this.#fanOut) }
  }

  checkJoin({ stream }: Omit<JoinPayload, 'token'>): void {
    if (stream !== undefined && stream !== null && stream !== 'raw')
      throw new CommandFailed('unsupported_stream', `Unknown stream '${stream.slice(0, 50)}': use 'raw'`)
  }

  /** Whether a machine has subscribers. */
  isFollowed(machineRef: MachineRef): boolean {
    return this.#fanOut.isFollowed(machineRef)
  }

  changed(change: ValueChange): void {
    this.#fanOut.publish(change.machineRef, change.cell, change)
  }

  left(member: Parameters<ChannelCore['left']>[0]): void {
    this.#fanOut.remove(member.subscriber)
  }

  #idOf(machineRef: MachineRef): string {
    return this.#records.machineByRef(machineRef)?.id ?? ''
  }
}
