import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { startMs } from '../timeline/support.ts'

/** A machine that is created when the samples of the tests begin. */
export const lathe: MachineRecord = {
  ...defaultMachineSettings,
  id: 'b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c11',
  ref: asMachineRef(1),
  companyId: 'c',
  name: 'Lathe',
  createdAt: new Date(startMs).toISOString(),
}
