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
  readonly #fanOut: FanOut
  readonly commands

  constructor(records: MachineRecords, values: LatestValues) {
    this.#records = records
    this.#fanOut = new FanOut((machineRef, each) => {
      const id = this.#idOf(machineRef)
      values.each(machineRef, value => each(value.cell, valueFrame(value, id)))
    })
    this.commands = { set_machines: setMachines(records, this.#fanOut) }
  }

  checkJoin({ stream }: Omit<JoinPayload, 'token'>): void {
    if (stream !== undefined && stream !== null && stream !== 'raw')
      throw new CommandFailed('unsupported_stream', `There is no stream '${stream.slice(0, 50)}', only 'raw'`)
  }

  /** Whether anybody is told of a machine's changes. */
  isFollowed(machineRef: MachineRef): boolean {
    return this.#fanOut.audience(machineRef) > 0
  }

  changed(change: ValueChange): void {
    const { machineRef, cell } = change
    if (this.isFollowed(machineRef)) this.#fanOut.publish(machineRef, cell, valueFrame(change, this.#idOf(machineRef)))
  }

  left(member: Parameters<ChannelCore['left']>[0]): void {
    this.#fanOut.remove(member.subscriber)
  }

  #idOf(machineRef: MachineRef): string {
    return this.#records.machineByRef(machineRef)?.id ?? ''
  }
}
