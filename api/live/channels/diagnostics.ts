import type { MachineRef } from '../../../schema/refs.ts'
import type { ChannelDeclaration } from './channel.ts'
import { CommandFailed } from '../failure.ts'
import type { LatestValues, ValueChange } from '../values/latest-values.ts'
import { valueFrame } from './updates.ts'
import { machineChannel, type MachineRecords } from './machine-channel.ts'

interface DiagnosticsDeps {
  readonly records: MachineRecords
  readonly values: LatestValues
}

/** `diagnostics`: every metric's value once, then each change. */
export function diagnosticsChannel({ records, values }: DiagnosticsDeps): ChannelDeclaration {
  const idOf = (machineRef: MachineRef) => records.machineByRef(machineRef)?.id ?? ''
  const { fanOut, declaration } = machineChannel<ValueChange>('diagnostics', records, {
    snapshot: (machineRef, fromIndex, show) => {
      const id = idOf(machineRef)
      values.eachFrom(machineRef, fromIndex, value => show(valueFrame(value, id), value.metric.id))
    },
    indexOf: change => change.metric.id,
    frameOf: change => valueFrame(change, idOf(change.machineRef)),
  })
  return {
    ...declaration,
    checkJoin({ stream }) {
      if (stream !== undefined && stream !== null && stream !== 'raw')
        throw new CommandFailed('unsupported_stream', `Unknown stream '${stream.slice(0, 50)}': use 'raw'`)
    },
    needsEverySample: machineRef => fanOut.isFollowed(machineRef),
    valueChanged: change => fanOut.publish(change.machineRef, change.cell, change),
  }
}
