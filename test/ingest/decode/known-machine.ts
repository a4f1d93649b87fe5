import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

/** The machine for which samples are decoded. */
export const knownMachine: MachineInfo = {
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  ref: asMachineRef(7),
  companyRef: asCompanyRef(1),
  maxSampleAgeDays: 7300,
  namedKeys: new Set(),
  counter: null,
}
